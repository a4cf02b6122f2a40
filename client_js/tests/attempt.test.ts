/** The predicted, acknowledged and refused moves of one attempt, without a connection. */

import { beforeEach, expect, test } from "vitest";
import { Attempt } from "../src/attempt.ts";
import { MAX_PENDING } from "../src/outbox.ts";
import { UNSEEN } from "../src/rules/cards.ts";
import { viewOf } from "../src/rules/board.ts";
import { legalMoves } from "../src/rules/moves.ts";
import { moveText, seenText } from "../src/rules/notation.ts";
import { Dealer, NUMBER } from "./dealer.ts";
import { VARIANTS, randomSeed, seededRandom } from "./rules/engine.ts";

let dealer: Dealer;
let attempt: Attempt;
let lastId: number;
beforeEach(() => {
  dealer = new Dealer("roosevelt", "5".repeat(64));
  attempt = new Attempt(dealer.snapshot());
  lastId = 0;
});

/** Mark all unsent moves as sent; return the commands. */
function send(): { id: number; seq: number; move: string }[] {
  return attempt.unsent().map(({ seq, move }) => {
    attempt.sent(seq, ++lastId);
    return { id: lastId, seq, move };
  });
}

function answer(commands: { id: number; seq: number; move: string }[]): void {
  for (const { id, seq, move } of commands) {
    const event = dealer.answer(seq, move);
    if (event.type === "Moved") expect(attempt.moved(event, sentAs(seq, move))).toBe(true);
    else if (event.type === "Attempt") attempt.resync(event, id);
    else attempt.refused(id, event.text);
  }
}

/** Return the client's command for a move. */
function sentAs(seq: number, move: string) {
  return attempt.command({ seq, move, id: null });
}

/** Let the dealer play a move, and pass its event to the attempt; return whether it fits. */
function receive(move: string): boolean {
  const event = dealer.play(move);
  return attempt.moved(event, sentAs(event.seq, move));
}

const waste = () => attempt.state().view.piles[attempt.state().ruleset.waste!];
const truth = () => viewOf(dealer.board).piles.map(seenText);
const shown = () => attempt.state().view.piles.map(seenText);

/** Return a legal move of the true board that does not deal. */
function tableauMove(): string {
  const { ruleset } = dealer.board;
  const moves = legalMoves(dealer.board).filter(({ source }) => source !== ruleset.stock);
  return moveText(ruleset, moves[0]!);
}

test("a move shows immediately, and stays when acknowledged", () => {
  const move = tableauMove();
  expect(attempt.play(move)).toBe(true);
  expect(attempt.state()).toMatchObject({ pending: 1, seq: 1, result: { moves: 0 } });
  const foreseen = shown();
  answer(send());
  expect(shown()).toEqual(foreseen);
  expect(shown()).toEqual(truth());
  expect(attempt.state()).toMatchObject({ pending: 0, seq: 2, result: { moves: 1 } });
});

test("the deal's proof is reported", () => {
  const certificate = { winnable: false, par: 34, level: 2 } as const;
  expect(attempt.state().certificate).toBeNull();
  const proved = new Attempt({ ...dealer.snapshot(), certificate });
  expect(proved.state().certificate).toEqual(certificate);
});

test("moves have ascending numbers, and are sent once", () => {
  for (const move of ["s>w", "s>w", "s>w"]) attempt.play(move);
  expect(send().map(({ seq }) => seq)).toEqual([2, 3, 4]);
  expect(send()).toEqual([]);
  expect(attempt.nextSeq).toBe(5);
});

test("dealt cards are unseen until the server shows them, and cannot be played before", () => {
  attempt.play("s>w");
  attempt.play("s>w");
  expect(waste()).toEqual([UNSEEN, UNSEEN]);
  expect(attempt.play("w>t0")).toBe(false);
  const commands = send();
  answer(commands.slice(0, 1));
  expect(waste()?.[0]).not.toBe(UNSEEN);
  expect(waste()?.[1]).toBe(UNSEEN);
  expect(attempt.play(tableauMove())).toBe(true);
});

test("malformed, illegal and excess pending moves are rejected", () => {
  expect(attempt.play("nonsense")).toBe(false);
  expect(attempt.play("w>t0")).toBe(false);
  for (let played = 0; played < MAX_PENDING; played++) expect(attempt.play("s>w")).toBe(true);
  expect(attempt.play("s>w")).toBe(false);
});

test("a refusal drops the move and all later ones, with a reason until another move is accepted", () => {
  for (const move of ["s>w", "s>w", "s>w"]) attempt.play(move);
  const [first, second, third] = send();
  answer([first!]);
  attempt.refused(second!.id, "Too fast.");
  expect(attempt.state()).toMatchObject({ pending: 0, seq: 2, refusal: "Too fast." });
  // The player continues before the answer to the third move has arrived.
  attempt.play("s>w");
  const again = send();
  expect(again[0]?.seq).toBe(3);
  answer([third!]);
  expect(attempt.state()).toMatchObject({ pending: 1, refusal: "Too fast." });
  answer(again);
  expect(attempt.state()).toMatchObject({ pending: 0, seq: 3, refusal: null });
  expect(shown()).toEqual(truth());
});

test("after a reconnect, moves missing from the snapshot are sent again", () => {
  for (const move of ["s>w", "s>w", "s>w"]) attempt.play(move);
  const [first] = send();
  dealer.answer(first!.seq, first!.move); // accepted, but the answer is lost
  attempt.lost();
  expect(attempt.play(tableauMove())).toBe(true); // played without a connection
  expect(send()).toEqual([]);
  attempt.resync(dealer.snapshot(), 99);
  const again = send();
  expect(again.map(({ seq }) => seq)).toEqual([3, 4, 5]);
  answer(again);
  expect(attempt.state()).toMatchObject({ pending: 0, seq: 5 });
  expect(shown()).toEqual(truth());
});

test("pending moves are dropped when the snapshot contains other moves instead", () => {
  attempt.play("s>w");
  attempt.play("s>w");
  send();
  attempt.lost();
  dealer.play(tableauMove());
  attempt.resync(dealer.snapshot(), 99);
  expect(attempt.state()).toMatchObject({ pending: 0, seq: 2 });
  expect(shown()).toEqual(truth());
});

test("an event with a different move of the same number drops the pending moves", () => {
  attempt.play("s>w");
  attempt.play("s>w");
  send();
  expect(receive(tableauMove())).toBe(true);
  expect(attempt.state()).toMatchObject({ pending: 0, seq: 2 });
  expect(shown()).toEqual(truth());
});

test("a duplicate acknowledgement changes nothing", () => {
  const event = dealer.play("s>w");
  const played = sentAs(2, "s>w");
  expect(attempt.moved(event, played)).toBe(true);
  expect(attempt.moved(event, played)).toBe(true);
  expect(shown()).toEqual(truth());
});

test("a gap in the numbers or a delta that does not fit requires a snapshot", () => {
  dealer.play("s>w");
  expect(receive("s>w")).toBe(false);
  const first = dealer.journal[0]!.moved;
  const odd = { ...first, changes: [[dealer.board.ruleset.waste!, 9]] };
  expect(attempt.moved(odd, sentAs(2, "s>w"))).toBe(false);
  expect(attempt.state().seq).toBe(1);
});

test("the acknowledgement of a move that this session did not send requires a snapshot", () => {
  expect(attempt.moved(dealer.play("s>w"), null)).toBe(false);
  expect(attempt.have()).toBeNull();
});

test("after the end, there are no pending moves and none is accepted", () => {
  attempt.play("s>w");
  const result = { ...dealer.result, end: "time" as const };
  expect(attempt.ended({ number: NUMBER, seq: 2, result })).toBe(true);
  expect(attempt.state()).toMatchObject({ pending: 0, seq: 2, result: { end: "time" } });
  expect(attempt.play("s>w")).toBe(false);
});

test.each(VARIANTS)(
  "a state plus its missed entries equals the snapshot of $game $variant",
  (one) => {
    const random = seededRandom(11);
    for (let round = 0; round < 20; round++) {
      dealer = new Dealer(one.game, randomSeed(random), one.variant);
      const playOn = (most: number): void => {
        for (let played = 0; played < most && dealer.end === null; played++) {
          const moves = legalMoves(dealer.board);
          dealer.play(moveText(dealer.board.ruleset, moves[random(moves.length)]!));
        }
      };
      playOn(random(60));
      attempt = new Attempt(dealer.snapshot());
      // The client received some moves one by one.
      for (let received = random(20); received > 0 && dealer.end === null; received--) {
        const moves = legalMoves(dealer.board);
        const move = moveText(dealer.board.ruleset, moves[random(moves.length)]!);
        expect(receive(move)).toBe(true);
        expect(attempt.state().result).toEqual(dealer.result);
      }
      attempt.lost();
      playOn(random(30));
      if (dealer.end === null && random(3) === 0) dealer.resign();
      const event = missed();
      expect(attempt.missed(event)).toBe(true);
      const { seq, result, view } = attempt.state();
      expect({ seq, result }).toEqual({ seq: dealer.seq, result: dealer.result });
      expect(view).toEqual(viewOf(dealer.board));
      // A duplicate changes nothing.
      expect(attempt.missed(event)).toBe(true);
      expect(attempt.state().view).toEqual(view);
    }
  },
);

/** Return the dealer's answer to a client that reconnects. */
function missed() {
  const event = dealer.opened(attempt.have());
  if (event.type !== "Missed") throw new Error("The digests differ.");
  return event;
}

test("missed entries acknowledge the pending moves among them, and the rest is sent again", () => {
  for (const move of ["s>w", "s>w", "s>w"]) attempt.play(move);
  const [first] = send();
  dealer.answer(first!.seq, first!.move); // accepted, but the answer is lost
  attempt.lost();
  expect(attempt.play(tableauMove())).toBe(true);
  expect(send()).toEqual([]);
  expect(attempt.have()).toMatchObject({ seq: 1 });
  expect(attempt.missed(missed())).toBe(true);
  expect(attempt.state()).toMatchObject({ seq: 2, pending: 3 });
  const again = send();
  expect(again.map(({ seq }) => seq)).toEqual([3, 4, 5]);
  answer(again);
  expect(attempt.state()).toMatchObject({ pending: 0, seq: 5 });
  expect(shown()).toEqual(truth());
});

test("missed entries with other moves drop the pending ones", () => {
  attempt.play("s>w");
  attempt.lost();
  dealer.play(tableauMove());
  expect(attempt.missed(missed())).toBe(true);
  expect(attempt.state()).toMatchObject({ pending: 0, seq: 2 });
  expect(shown()).toEqual(truth());
});

test("a missed end drops the pending moves", () => {
  attempt.play("s>w");
  attempt.lost();
  dealer.resign();
  expect(attempt.missed(missed())).toBe(true);
  expect(attempt.state()).toMatchObject({ pending: 0, seq: 2, result: { end: "resigned" } });
});

test.each([
  { case: "start after the last known one", fields: { since: 2, seq: 2 } },
  { case: "have a gap", fields: { seq: 3 } },
  { case: "are too many", fields: { seq: 1 } },
  {
    case: "do not fit",
    fields: { moves: [{ source: 0, target: 1, count: 1, changes: [[0, 9]], redeals: 0 }] },
  },
])(
  "when missed entries $case, a snapshot is needed, and nothing is sent before it",
  ({ fields }) => {
    attempt.play("s>w");
    attempt.lost();
    dealer.play("s>w");
    expect(attempt.missed({ ...missed(), ...fields })).toBe(false);
    expect(attempt.have()).toBeNull();
    expect(send()).toEqual([]);
    attempt.resync(dealer.snapshot(), 99);
    expect(attempt.have()).toMatchObject({ seq: 2 });
    expect(attempt.state()).toMatchObject({ pending: 0, seq: 2 });
    expect(shown()).toEqual(truth());
  },
);

test("a postponed move is sent again with all later ones, when sending resumes", () => {
  for (const move of ["s>w", "s>w", "s>w"]) attempt.play(move);
  const [first, second, third] = send();
  answer([first!]);
  expect(attempt.postpone(second!.id)).toBe(true);
  expect(attempt.postpone(third!.id)).toBe(false);
  expect(attempt.play(tableauMove())).toBe(true);
  expect(send()).toEqual([]);
  expect(attempt.state()).toMatchObject({ pending: 3, refusal: null });
  attempt.postponed = false;
  const again = send();
  expect(again.map(({ seq }) => seq)).toEqual([3, 4, 5]);
  answer(again);
  expect(shown()).toEqual(truth());
});

test("a postponed move is sent again together with a later one that was answered too early", () => {
  for (const move of ["s>w", "s>w"]) attempt.play(move);
  const [first, second] = send();
  expect(attempt.postpone(first!.id)).toBe(true);
  // The store is available again, but the second move's number is not the next.
  answer([second!]);
  const again = send();
  expect(again.map(({ seq }) => seq)).toEqual([2, 3]);
  answer(again);
  expect(attempt.state()).toMatchObject({ pending: 0, seq: 3 });
});
