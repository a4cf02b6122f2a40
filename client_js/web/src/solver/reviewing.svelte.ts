/** The page's requested and finished reviews. */

import { type Api, EngineError, Refusal, type Replay } from "@samedeal/client";
import { isWon } from "../../../src/rules/moves.ts";
import { keptMoves } from "./findings.ts";
import type { Solver } from "./asking.ts";
import type { AskReview, Review } from "./protocol.ts";

/** The number of finished reviews kept until the page is left. */
const KEPT = 20;
const finished = new Map<string, Review>();

/** The review of a deal, and of a run on it if there is one. */
export class Reviewing {
  /** The findings so far. */
  review = $state.raw<Review | null>(null);
  stage = $state<"idle" | "running" | "done" | "failed">("idle");
  readonly #key: string;
  #takeBack = (): void => undefined;
  #stopped = false;

  /** @param key the id of the run, or of the deal for the deal alone. */
  constructor(key: string) {
    this.#key = key;
    const known = finished.get(key);
    if (known === undefined) return;
    this.review = known;
    this.stage = "done";
  }

  /** Start the review; `prepare` throws a `Refusal` if the deal is not revealed yet. */
  async start(
    solver: Pick<Solver, "ask" | "stop">,
    prepare: () => Promise<AskReview>,
  ): Promise<void> {
    if (this.stage === "running" || this.stage === "done") return;
    this.stage = "running";
    let question: AskReview;
    try {
      question = await prepare();
    } catch (error) {
      if (!(error instanceof Refusal || error instanceof EngineError)) throw error;
      this.stage = "failed";
      return;
    }
    if (this.#stopped) return;
    this.#takeBack = solver.ask(question, (answer) => {
      if (answer.kind !== "review") {
        this.stage = "failed";
        return;
      }
      this.review = answer.review;
      if (!answer.done) return;
      this.stage = "done";
      keep(this.#key, answer.review);
      // A solver may use much memory, and a second review is rare.
      solver.stop();
    });
  }

  /** Stop, because the review is no longer shown. */
  stop(): void {
    this.#stopped = true;
    this.#takeBack();
  }
}

function keep(key: string, review: Review): void {
  finished.delete(key);
  finished.set(key, review);
  const [oldest] = finished.keys();
  if (finished.size > KEPT && oldest !== undefined) finished.delete(oldest);
}

/** The facts about a deal for its analysis. */
interface Facts extends Pick<AskReview, "game" | "variant" | "rules" | "seed"> {
  readonly certificate: { readonly winnable: boolean } | null;
  readonly line: readonly string[] | null;
}

async function factsOf(
  api: Pick<Api, "deal">,
  deal: string,
  replay: Replay | null,
  sealed: boolean,
): Promise<Facts> {
  const ofRun = replay && { ...replay.run, certificate: null, line: null };
  if (sealed && ofRun !== null) return ofRun;
  try {
    return await api.deal(deal);
  } catch (error) {
    // Others can still play the deal, but who sees a run on it sees its cards.
    if (ofRun !== null && error instanceof Refusal && error.code === "deal_open") return ofRun;
    throw error;
  }
}

/**
 * Return the question about a deal, and a run on it. Without a run, the deal must be closed.
 *
 * @param sealed whether the deal is a round's, which has no proof. Its seed then comes from the run:
 * requesting it over HTTP would make it public.
 */
export async function questionOf(
  api: Pick<Api, "deal">,
  deal: string,
  replay: Replay | null,
  sealed = false,
): Promise<AskReview> {
  const { game, variant, rules, seed, certificate, line } = await factsOf(
    api,
    deal,
    replay,
    sealed,
  );
  const moves =
    replay === null
      ? []
      : keptMoves(replay.moves)
          .slice(1)
          .map((number) => replay.textOf(number) ?? "");
  const won = replay !== null && isWon(replay.boardAt(replay.moves.length));
  return {
    ...{ kind: "review", game, variant, rules, seed, moves },
    line: certificate?.winnable === true ? line : won ? moves : null,
  };
}
