/** The par of a practice deal in a game that is not played for all cards, by the solver. */

import type { Ruleset } from "@samedeal/client";
import type { Known } from "../app/targets.ts";
import type { Solver } from "../solver/asking.ts";

/**
 * What a certificate would say of a deal; null if that is not found out, as when the solver is asked
 * for something else meanwhile.
 *
 * @param seed of the deal, in hexadecimal.
 */
export function provedOf(
  { ruleset, seed }: { readonly ruleset: Ruleset; readonly seed: string },
  solver: Pick<Solver, "ask" | "stop">,
): Promise<Known["certificate"]> {
  const { game, variant, digest: rules } = ruleset;
  return new Promise((resolve) => {
    const question = { kind: "review", game, variant, rules, seed, moves: [], line: null } as const;
    solver.ask(question, (answer) => {
      if (answer.kind !== "review") resolve(null);
      else if (answer.done) {
        // Its memory is large, and hints in such games need little of it.
        solver.stop();
        const { most, home, verdict } = answer.review;
        resolve(most ? { winnable: verdict === "winnable", par: home } : null);
      }
    });
  });
}
