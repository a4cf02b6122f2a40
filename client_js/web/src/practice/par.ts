/** The par of a practice deal, computed by the solver, in games whose target is not all cards. */

import type { Ruleset } from "@samedeal/client";
import type { Known } from "../app/targets.ts";
import type { Solver } from "../solver/asking.ts";

/**
 * Return the facts that a certificate would state about a deal; null if unknown, for example
 * because another question interrupted the solver.
 *
 * @param seed the deal's seed, in hexadecimal.
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
        // It uses much memory, and hints in such games need little.
        solver.stop();
        const { most, home, verdict } = answer.review;
        resolve(most ? { winnable: verdict === "winnable", par: home } : null);
      }
    });
  });
}
