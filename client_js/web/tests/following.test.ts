/** Statistics of practice that follow a kept identity. */

import { type AddPractice, type Practised, Refusal } from "@samedeal/client";
import { describe, expect, it } from "vitest";
import {
  type Counted,
  type Figures,
  added,
  countDeal,
  figuresOf,
  joined,
  noFigures,
} from "../src/app/practised/figures.ts";
import { follow, leaveOthers, noteDeal } from "../src/app/practised/following.ts";
import { MemoryStorage } from "./storage.ts";

const ADA = "k3mq7w2r5t9xkz4b";
const BOB = "zz5n8c1v6m2qx7ap";
const WON: Counted = [true, 52, 60_000, 120];
const LOST: Counted = [false, 9, 30_000, 40];
const OWN = "stock.turns=2";

/** A server for one player, which counts as PROTOCOL.md says. */
class Server {
  readonly batches: AddPractice[] = [];
  /** Refuses all batches with this code, before or after adding them. */
  before = "";
  after = "";
  readonly #last = new Map<string, number>();
  #rows: Practised[] = [];

  practice = (): Promise<readonly Practised[]> => Promise.resolve(this.#rows);

  addPractice = async (given: AddPractice): Promise<readonly Practised[]> => {
    const batch = structuredClone(given);
    this.batches.push(batch);
    if (this.before !== "") throw new Refusal(this.before, "");
    const isSame = (each: Practised) => each.game === batch.game && each.variant === batch.variant;
    if (batch.batch > (this.#last.get(batch.device) ?? 0)) {
      this.#last.set(batch.device, batch.batch);
      const { game, variant, figures } = batch;
      const before = this.#rows.find(isSame)?.figures;
      const sum = plain(joined(before ? of(before) : noFigures, of(figures)));
      this.#rows = [...this.#rows.filter((each) => !isSame(each)), { game, variant, figures: sum }];
    }
    if (this.after !== "") throw new Refusal(this.after, "");
    return this.#rows.filter(isSame);
  };

  get played(): number[] {
    return this.#rows.map(({ figures }) => figures.played);
  }
}

function of({ deals, ...figures }: Practised["figures"]): Figures {
  return {
    ...figures,
    deals: deals.map((each): Counted => [each.won, each.home, each.time, each.moves]),
  };
}

function plain({ deals, ...figures }: Figures): Practised["figures"] {
  return {
    ...figures,
    deals: deals.map(([won, home, time, moves]) => ({ won, home, time, moves })),
  };
}

function play(storage: MemoryStorage, deal: Counted, variant = "standard"): void {
  countDeal(storage, "klondike", variant, deal);
  noteDeal(storage, "klondike", variant, deal);
}

function played(storage: MemoryStorage, variant = "standard"): number {
  return figuresOf(storage, "klondike").get(variant)?.played ?? 0;
}

describe("figures of deals followed by others", () => {
  it("are those of all deals", () => {
    const deals = [WON, WON, LOST, WON, LOST, LOST, WON, WON, WON];
    const all = deals.reduce(added, noFigures);
    for (let at = 0; at <= deals.length; at++) {
      const parts = [deals.slice(0, at), deals.slice(at)];
      const [one, two] = parts.map((part) => part.reduce(added, noFigures));
      expect(joined(one!, two!)).toEqual(all);
    }
  });
});

describe("statistics of practice", () => {
  it("follow the identity from the deals counted before it was kept", async () => {
    const [phone, laptop, server] = [new MemoryStorage(), new MemoryStorage(), new Server()];
    play(phone, WON);
    play(phone, LOST);
    play(laptop, WON);
    await follow(phone, ADA, server);
    await follow(laptop, ADA, server);
    play(phone, WON, "draw-three");
    await follow(phone, ADA, server, true);
    await follow(laptop, ADA, server, true);
    expect(server.played).toEqual([3, 1]);
    for (const each of [phone, laptop]) {
      expect([played(each), played(each, "draw-three")]).toEqual([3, 1]);
    }
    // Everything is sent, and nothing twice.
    const sent = server.batches.length;
    await follow(phone, ADA, server);
    expect(server.batches).toHaveLength(sent);
  });

  it("count a batch once whose answer was lost, and the deals since in the next one", async () => {
    const [storage, server] = [new MemoryStorage(), new Server()];
    play(storage, WON);
    server.after = "disconnected";
    await expect(follow(storage, ADA, server)).rejects.toThrow("");
    play(storage, LOST);
    expect(played(storage)).toBe(2);
    server.after = "";
    await follow(storage, ADA, server);
    expect(server.played).toEqual([2]);
    expect(server.batches.map(({ batch, figures }) => [batch, figures.played])).toEqual([
      [1, 1],
      [1, 1],
      [2, 1],
    ]);
    expect(played(storage)).toBe(2);
  });

  it("wait while the server refuses for now", async () => {
    const [storage, server] = [new MemoryStorage(), new Server()];
    play(storage, WON);
    server.before = "too_fast";
    await expect(follow(storage, ADA, server)).rejects.toMatchObject({ code: "too_fast" });
    server.before = "";
    await follow(storage, ADA, server);
    expect(server.played).toEqual([1]);
  });

  it("stay in this browser where the server will never add them", async () => {
    const [storage, server] = [new MemoryStorage(), new Server()];
    play(storage, WON);
    play(storage, WON, OWN);
    server.before = "figures_full";
    await follow(storage, ADA, server);
    await follow(storage, ADA, server);
    expect(server.batches).toHaveLength(1);
    expect([played(storage), played(storage, OWN)]).toEqual([1, 1]);
  });

  it("are dropped from the browser for another player, except by custom rules", async () => {
    const [storage, server] = [new MemoryStorage(), new Server()];
    play(storage, WON);
    play(storage, WON, OWN);
    await follow(storage, ADA, server);
    leaveOthers(storage, undefined);
    leaveOthers(storage, ADA);
    expect(played(storage)).toBe(1);
    leaveOthers(storage, BOB);
    expect([played(storage), played(storage, OWN)]).toEqual([0, 1]);
    // A guest's deals are not noted for the earlier player.
    play(storage, LOST);
    const others = new Server();
    await follow(storage, BOB, others);
    expect([server.played, others.played]).toEqual([[1], [1]]);
  });

  it("send at most the server's limits", async () => {
    const [storage, server] = [new MemoryStorage(), new Server()];
    for (let nth = 0; nth < 70; nth++) play(storage, [true, 52, 1e12, 2e6]);
    await follow(storage, ADA, server);
    const { figures } = server.batches[0]!;
    expect([figures.deals.length, figures.time, figures.moves]).toEqual([50, 1e10, 1e6]);
    expect(figures.played).toBe(70);
  });

  it.each([
    "",
    "null",
    "{}",
    '{"player":1}',
    '{"player":"a","device":"b","batch":1,"waiting":[7]}',
  ])("survive malformed storage: %j", async (text) => {
    const [storage, server] = [new MemoryStorage(), new Server()];
    storage.setItem("samedeal.following", text);
    play(storage, WON);
    leaveOthers(storage, ADA);
    play(storage, WON);
    await follow(storage, ADA, server);
    expect(server.played.length).toBeLessThan(2);
  });
});
