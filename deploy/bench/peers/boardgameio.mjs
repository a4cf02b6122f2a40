// boardgame.io with the small game: each player sees only their own piles.
// node boardgameio.mjs PORT

import { createRequire } from "node:module";
import { deal, play } from "./game.mjs";

// Its package has no entry point for ES modules.
const boardgame = createRequire(import.meta.url)("boardgame.io/server");

const race = {
  name: "race",
  setup: () => ({ boards: { 0: deal(), 1: deal() } }),
  moves: { move: ({ G, playerID }, from, to) => play(G.boards[playerID], from, to) },
  playerView: ({ G, playerID }) => ({ boards: { [playerID]: G.boards[playerID] } }),
};

boardgame.Server({ games: [race], origins: ["*"] }).run(Number(process.argv[2]));
