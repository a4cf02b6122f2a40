/** The SAT solver takes the steps of the engine's, whose tests have the same numbers. */

import { expect, test } from "vitest";
import { solve } from "../../src/solver/cdcl.ts";

/** Clauses that put one more pigeon than there are holes into holes of their own. */
function pigeons(holes: number): number[][] {
  const sits = Array.from({ length: holes + 1 }, (_, pigeon) =>
    Array.from({ length: holes }, (__, hole) => hole + pigeon * holes + 1),
  );
  const clashes = Array.from({ length: holes }, (_, hole) =>
    sits.flatMap((one, nth) =>
      sits.slice(nth + 1).map((two) => [-(one[hole] ?? 0), -(two[hole] ?? 0)]),
    ),
  );
  return [...sits, ...clashes.flat()];
}

test.each([
  [6, 752],
  [7, 4114],
])("it refutes %i holes for one pigeon more in %i conflicts", (holes, conflicts) => {
  const clauses = pigeons(holes);
  const variables = holes * (holes + 1);
  expect(solve(variables, clauses, 10_000)).toMatchObject({ satisfiable: false, conflicts });
  expect(solve(variables, clauses, 100)).toMatchObject({ satisfiable: null, conflicts: 100 });
});

test.each([
  [[[]], false],
  [[[1], [-1]], false],
  [
    [
      [1, 2],
      [-1, 2],
      [1, -2],
      [-1, -2],
    ],
    false,
  ],
  [
    [
      [1, 2],
      [-1, 2],
      [1, -2],
    ],
    true,
  ],
  [[], true],
])("clauses %j have a model: %s", (clauses, satisfiable) => {
  const answer = solve(2, clauses, 100);
  expect(answer.satisfiable).toBe(satisfiable);
  const holds = (literal: number) => answer.model[Math.abs(literal)] === (literal > 0 ? 1 : 0);
  if (satisfiable) expect(clauses.every((clause) => clause.some(holds))).toBe(true);
});
