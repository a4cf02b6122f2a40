/** Which pending moves are kept, by their numbers and by the commands seen by the server. */

import { beforeEach, expect, test } from "vitest";
import { Outbox } from "../src/outbox.ts";

let outbox: Outbox;
beforeEach(() => {
  outbox = new Outbox();
  for (const move of ["s>w", "w>t0", "s>w"]) outbox.add(move, 4);
  outbox.sent(5, 11);
  outbox.sent(6, 12);
});

const pending = () => outbox.moves.map(({ seq }) => seq);

test("numbers continue from the journal's last entry", () => {
  expect(pending()).toEqual([5, 6, 7]);
});

test.each([
  { case: "none of them", seq: 4, id: null, left: [5, 6, 7] },
  { case: "the first, before the server saw the second", seq: 5, id: 11, left: [6, 7] },
  { case: "everything sent", seq: 6, id: null, left: [7] },
  { case: "more than the pending ones", seq: 9, id: null, left: [] },
  { case: "none of the moves seen by the server", seq: 4, id: 12, left: [] },
  { case: "not the answered one", seq: 4, id: 11, left: [] },
  { case: "an end before the first one", seq: 3, id: null, left: [] },
])("a snapshot that holds $case leaves $left", ({ seq, id, left }) => {
  outbox.snapshot(seq, id);
  expect(pending()).toEqual(left);
});

test("an acknowledgement removes the first one, and a different move of its number removes all", () => {
  outbox.acknowledged(4, "s>w");
  expect(pending()).toEqual([5, 6, 7]);
  outbox.acknowledged(5, "s>w");
  expect(pending()).toEqual([6, 7]);
  outbox.acknowledged(6, "t1>t0");
  expect(pending()).toEqual([]);
});

test("a refusal removes its move and all later ones; that of another command changes nothing", () => {
  expect(outbox.refused(99)).toBe(false);
  expect(outbox.refused(12)).toBe(true);
  expect(pending()).toEqual([5]);
});

test("an unanswered move is resent with all later ones, and none before it", () => {
  expect(outbox.unanswered(99)).toBe(false);
  outbox.sent(7, 13);
  expect(outbox.unanswered(12)).toBe(true);
  expect(outbox.moves.map(({ id }) => id)).toEqual([11, null, null]);
});
