/** The SAT solver decides small problems, with a fixed number of steps. */

import { expect, test } from "vitest";
import { solve } from "../../src/solver/cdcl.ts";

/** Return clauses that put one more pigeon than there are holes into separate holes. */
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
])("it refutes %i holes for one more pigeon in %i conflicts", (holes, conflicts) => {
  const clauses = pigeons(holes);
  const variables = holes * (holes + 1);
  expect(solve(variables, clauses, 10_000)).toMatchObject({ satisfiable: false, conflicts });
  expect(solve(variables, clauses, 100)).toMatchObject({ satisfiable: null, conflicts: 100 });
});

test("verdicts on small problems agree with enumeration", () => {
  let state = 1;
  const below = (limit: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % limit;
  };
  const verdicts = new Set<boolean>();
  for (let round = 0; round < 300; round += 1) {
    const variables = 3 + below(7);
    const clauses = Array.from({ length: below(5 * variables) }, () => {
      const chosen = new Set(Array.from({ length: 1 + below(4) }, () => 1 + below(variables)));
      return [...chosen].map((variable) => (below(2) === 0 ? variable : -variable));
    });
    const holds = (model: number) =>
      clauses.every((clause) => clause.some((x) => ((model >> Math.abs(x)) & 1) === Number(x > 0)));
    const models = Array.from({ length: 2 ** variables }, (_, model) => 2 * model);
    const answer = solve(variables, clauses, 10_000);
    expect(answer.satisfiable).toBe(models.some(holds));
    if (answer.satisfiable) {
      expect(holds(answer.model.reduce((all, bit, variable) => all | (bit << variable), 0))).toBe(
        true,
      );
    }
    verdicts.add(answer.satisfiable!);
  }
  expect(verdicts.size).toBe(2);
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
