/** The predicted, acknowledged and refused moves of one attempt, without a connection. */

import { beforeEach, expect, test } from "vitest";
import { Attempt } from "../src/attempt.ts";
import { MAX_PENDING } from "../src/outbox.ts";
import { UNSEEN } from "../src/rules/cards.ts";
import { viewOf } from "../src/rules/board.ts";
import { legalMoves } from "../src/rules/moves.ts";
import { moveText, seenText } from "../src/rules/notation.ts";
import { games } from "../src/rules/catalog.ts";
import { Dealer, NUMBER } from "./dealer.ts";
import { dice, diceSeed } from "./rules/engine.ts";

let dealer: Dealer;
let attempt: Attempt;
let lastId: number;
beforeEach(() => {
  dealer = new Dealer("roosevelt", "5".repeat(64));
  attempt = new Attempt(dealer.snapshot());
  lastId = 0;
});

/** Send what is to be sent; returns the commands. */
function send(): { id: number; seq: number; move: string }[] {
  return attempt.unsent().map(({ seq, move }) => {
    attempt.sent(seq, ++lastId);
    return { id: lastId, seq, move };
  });
}

/** Let the dealer answer commands, and the attempt hear the answers. */
function hear(commands: { id: number; seq: number; move: string }[]): void {
  for (const { id, seq, move } of commands) {
    const answer = dealer.answer(seq, move);
    if (answer.type === "Moved") expect(attempt.moved(answer, sentAs(seq, move))).toBe(true);
    else if (answer.type === "Attempt") attempt.resync(answer, id);
    else attempt.refused(id, answer.text);
  }
}

/** A move as the client sends it. */
function sentAs(seq: number, move: string) {
  return attempt.command({ seq, move, id: null });
}

/** Let the dealer play a move, and the attempt be told that it stands; returns whether it fits. */
function follow(move: string): boolean {
  const event = dealer.play(move);
  return attempt.moved(event, sentAs(event.seq, move));
}

const waste = () => attempt.state().view.piles[attempt.state().ruleset.waste!];
const truth = () => viewOf(dealer.board).piles.map(seenText);
const shown = () => attempt.state().view.piles.map(seenText);

/** A legal move of the true board that is not dealing. */
function quiet(): string {
  const { ruleset } = dealer.board;
  const moves = legalMoves(dealer.board).filter(({ source }) => source !== ruleset.stock);
  return moveText(ruleset, moves[0]!);
}

test("a move shows at once, and stays when it is acknowledged", () => {
  const move = quiet();
  expect(attempt.play(move)).toBe(true);
  expect(attempt.state()).toMatchObject({ pending: 1, seq: 1, result: { moves: 0 } });
  const foreseen = shown();
  hear(send());
  expect(shown()).toEqual(foreseen);
  expect(shown()).toEqual(truth());
  expect(attempt.state()).toMatchObject({ pending: 0, seq: 2, result: { moves: 1 } });
});

test("moves have ascending numbers, and are sent once", () => {
  for (const move of ["s>w", "s>w", "s>w"]) attempt.play(move);
  expect(send().map(({ seq }) => seq)).toEqual([2, 3, 4]);
  expect(send()).toEqual([]);
  expect(attempt.nextSeq).toBe(5);
});

test("dealt cards are unseen until the server shows them, and not played before", () => {
  attempt.play("s>w");
  attempt.play("s>w");
  expect(waste()).toEqual([UNSEEN, UNSEEN]);
  expect(attempt.play("w>t0")).toBe(false);
  const commands = send();
  hear(commands.slice(0, 1));
  expect(waste()?.[0]).not.toBe(UNSEEN);
  expect(waste()?.[1]).toBe(UNSEEN);
  expect(attempt.play(quiet())).toBe(true);
});

test("what is no move, not legal, or too much is not played", () => {
  expect(attempt.play("nonsense")).toBe(false);
  expect(attempt.play("w>t0")).toBe(false);
  for (let played = 0; played < MAX_PENDING; played++) expect(attempt.play("s>w")).toBe(true);
  expect(attempt.play("s>w")).toBe(false);
});

test("a refusal drops the move and all that follow, and says why until another is accepted", () => {
  for (const move of ["s>w", "s>w", "s>w"]) attempt.play(move);
  const [first, second, third] = send();
  hear([first!]);
  attempt.refused(second!.id, "Too fast.");
  expect(attempt.state()).toMatchObject({ pending: 0, seq: 2, refusal: "Too fast." });
  // The player goes on before the server's answer to the third one is here.
  attempt.play("s>w");
  const again = send();
  expect(again[0]?.seq).toBe(3);
  hear([third!]);
  expect(attempt.state()).toMatchObject({ pending: 1, refusal: "Too fast." });
  hear(again);
  expect(attempt.state()).toMatchObject({ pending: 0, seq: 3, refusal: null });
  expect(shown()).toEqual(truth());
});

test("after a lost session, moves are sent again that the snapshot does not hold", () => {
  for (const move of ["s>w", "s>w", "s>w"]) attempt.play(move);
  const [first] = send();
  dealer.answer(first!.seq, first!.move); // it stands, but the answer is lost
  attempt.lost();
  expect(attempt.play(quiet())).toBe(true); // played without a connection
  expect(send()).toEqual([]);
  attempt.resync(dealer.snapshot(), 99);
  const again = send();
  expect(again.map(({ seq }) => seq)).toEqual([3, 4, 5]);
  hear(again);
  expect(attempt.state()).toMatchObject({ pending: 0, seq: 5 });
  expect(shown()).toEqual(truth());
});

test("pending moves are dropped when the journal went another way meanwhile", () => {
  attempt.play("s>w");
  attempt.play("s>w");
  send();
  attempt.lost();
  dealer.play(quiet());
  attempt.resync(dealer.snapshot(), 99);
  expect(attempt.state()).toMatchObject({ pending: 0, seq: 2 });
  expect(shown()).toEqual(truth());
});

test("another's move with the number of a pending one drops what is pending", () => {
  attempt.play("s>w");
  attempt.play("s>w");
  send();
  expect(follow(quiet())).toBe(true);
  expect(attempt.state()).toMatchObject({ pending: 0, seq: 2 });
  expect(shown()).toEqual(truth());
});

test("an acknowledgement that comes again changes nothing", () => {
  const event = dealer.play("s>w");
  const played = sentAs(2, "s>w");
  expect(attempt.moved(event, played)).toBe(true);
  expect(attempt.moved(event, played)).toBe(true);
  expect(shown()).toEqual(truth());
});

test("a gap in the numbers, and a delta that does not fit, ask for a snapshot", () => {
  dealer.play("s>w");
  expect(follow("s>w")).toBe(false);
  const first = dealer.journal[0]!.moved;
  const odd = { ...first, changes: [[dealer.board.ruleset.waste!, 9]] };
  expect(attempt.moved(odd, sentAs(2, "s>w"))).toBe(false);
  expect(attempt.state().seq).toBe(1);
});

test("that a move stands which this session has not sent asks for a snapshot", () => {
  expect(attempt.moved(dealer.play("s>w"), null)).toBe(false);
  expect(attempt.have()).toBeNull();
});

test("when it is over, nothing is pending and nothing more is played", () => {
  attempt.play("s>w");
  const result = { ...dealer.result, end: "time" as const };
  expect(attempt.ended({ number: NUMBER, seq: 2, result })).toBe(true);
  expect(attempt.state()).toMatchObject({ pending: 0, seq: 2, result: { end: "time" } });
  expect(attempt.play("s>w")).toBe(false);
});

const variants = games.flatMap((game) =>
  game.variants.map((variant) => ({ game: game.id, variant: variant.id })),
);

test.each(variants)("what is had and what was missed of $game $variant is the snapshot", (one) => {
  const roll = dice(11);
  for (let round = 0; round < 20; round++) {
    dealer = new Dealer(one.game, diceSeed(roll), one.variant);
    const playOn = (most: number): void => {
      for (let played = 0; played < most && dealer.end === null; played++) {
        const moves = legalMoves(dealer.board);
        dealer.play(moveText(dealer.board.ruleset, moves[roll(moves.length)]!));
      }
    };
    playOn(roll(60));
    attempt = new Attempt(dealer.snapshot());
    // The client has some of it from moves that it was told of one by one.
    for (let told = roll(20); told > 0 && dealer.end === null; told--) {
      const moves = legalMoves(dealer.board);
      const move = moveText(dealer.board.ruleset, moves[roll(moves.length)]!);
      expect(follow(move)).toBe(true);
      expect(attempt.state().result).toEqual(dealer.result);
    }
    attempt.lost();
    playOn(roll(30));
    if (dealer.end === null && roll(3) === 0) dealer.resign();
    const event = missed();
    expect(attempt.missed(event)).toBe(true);
    const { seq, result, view } = attempt.state();
    expect({ seq, result }).toEqual({ seq: dealer.seq, result: dealer.result });
    expect(view).toEqual(viewOf(dealer.board));
    // Told again, it changes nothing.
    expect(attempt.missed(event)).toBe(true);
    expect(attempt.state().view).toEqual(view);
  }
});

/** What the dealer says to a client that comes back. */
function missed() {
  const event = dealer.opened(attempt.have());
  if (event.type !== "Missed") throw new Error("The digests differ.");
  return event;
}

test("what was missed acknowledges the moves that it holds, and the rest is sent again", () => {
  for (const move of ["s>w", "s>w", "s>w"]) attempt.play(move);
  const [first] = send();
  dealer.answer(first!.seq, first!.move); // it stands, but the answer is lost
  attempt.lost();
  expect(attempt.play(quiet())).toBe(true);
  expect(send()).toEqual([]);
  expect(attempt.have()).toMatchObject({ seq: 1 });
  expect(attempt.missed(missed())).toBe(true);
  expect(attempt.state()).toMatchObject({ seq: 2, pending: 3 });
  const again = send();
  expect(again.map(({ seq }) => seq)).toEqual([3, 4, 5]);
  hear(again);
  expect(attempt.state()).toMatchObject({ pending: 0, seq: 5 });
  expect(shown()).toEqual(truth());
});

test("another's moves that were missed drop what is pending", () => {
  attempt.play("s>w");
  attempt.lost();
  dealer.play(quiet());
  expect(attempt.missed(missed())).toBe(true);
  expect(attempt.state()).toMatchObject({ pending: 0, seq: 2 });
  expect(shown()).toEqual(truth());
});

test("an end that was missed drops what is pending", () => {
  attempt.play("s>w");
  attempt.lost();
  dealer.resign();
  expect(attempt.missed(missed())).toBe(true);
  expect(attempt.state()).toMatchObject({ pending: 0, seq: 2, result: { end: "resigned" } });
});

test.each([
  { case: "begins after what is known", fields: { since: 2, seq: 2 } },
  { case: "lacks an entry", fields: { seq: 3 } },
  { case: "has too many", fields: { seq: 1 } },
  {
    case: "does not fit",
    fields: { moves: [{ source: 0, target: 1, count: 1, changes: [[0, 9]], redeals: 0 }] },
  },
])("what was missed and $case asks for a snapshot, and sends nothing", ({ fields }) => {
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
});

test("a move that the store was away for is sent again with all that follow, when it is time", () => {
  for (const move of ["s>w", "s>w", "s>w"]) attempt.play(move);
  const [first, second, third] = send();
  hear([first!]);
  expect(attempt.postpone(second!.id)).toBe(true);
  expect(attempt.postpone(third!.id)).toBe(false);
  expect(attempt.play(quiet())).toBe(true);
  expect(send()).toEqual([]);
  expect(attempt.state()).toMatchObject({ pending: 3, refusal: null });
  attempt.resumeSending();
  const again = send();
  expect(again.map(({ seq }) => seq)).toEqual([3, 4, 5]);
  hear(again);
  expect(shown()).toEqual(truth());
});

test("a postponed move whose follower came too early is sent again with it", () => {
  for (const move of ["s>w", "s>w"]) attempt.play(move);
  const [first, second] = send();
  expect(attempt.postpone(first!.id)).toBe(true);
  // The store is back, and the second one's number is not the next.
  hear([second!]);
  const again = send();
  expect(again.map(({ seq }) => seq)).toEqual([2, 3]);
  hear(again);
  expect(attempt.state()).toMatchObject({ pending: 0, seq: 3 });
});
