// The closed loop on a peer: each player waits for the answer before the next move.
// node load.mjs PEER TASK, where TASK is a JSON object with the port, the process id,
// the number of sockets and the seconds.

import { Client } from "@colyseus/sdk";
import { readFileSync } from "node:fs";
import { io } from "socket.io-client";
import { move } from "./game.mjs";

const WARM_UP = 700;
const TICKS = 100; // clock ticks a second in /proc

const peers = {
  // Two players share a room, and each move is answered by a message to its player.
  async colyseus(port, answered) {
    const room = await new Client(`http://127.0.0.1:${port}`).joinOrCreate("race");
    room.onMessage("moved", answered);
    return (number) => room.send("move", move(number));
  },
  // Each player has a match of their own: two who move at once would conflict on its state id.
  boardgameio(port, answered, player) {
    const socket = io(`http://127.0.0.1:${port}/race`, {
      transports: ["websocket"],
      forceNew: true,
    });
    const match = `match-${player}`;
    let state = 0;
    return new Promise((resolve) => {
      socket.on("connect", () => socket.emit("sync", match, "0", undefined, 2));
      socket.on("sync", (_, found) => {
        state = found.state._stateID;
        resolve((number) => {
          const payload = { type: "move", args: move(number), playerID: "0" };
          socket.emit("update", { type: "MAKE_MOVE", payload }, state, match, "0");
        });
      });
      socket.on("update", (_, found) => {
        state = found._stateID;
        answered();
      });
    });
  },
};

function processorTime(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

function coreTime() {
  const line = readFileSync("/proc/stat", "utf8")
    .split("\n")
    .find((each) => each.startsWith("cpu0 "));
  const [user, nice, system, , , interrupts, soft] = line.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + interrupts + soft) / TICKS;
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const [peer, task] = [process.argv[2], JSON.parse(process.argv[3])];
let times = [];

async function player(number) {
  let moves = 0;
  let at = 0;
  const send = await peers[peer](
    task.port,
    () => {
      times.push(performance.now() - at);
      go();
    },
    number,
  );
  function go() {
    at = performance.now();
    send(moves++);
  }
  return go;
}

const players = [];
for (let number = 0; number < task.sockets; number++) players.push(await player(number));
for (const go of players) go();
await pause(WARM_UP);
times = [];
const own = process.cpuUsage();
const [began, spent, core] = [performance.now(), processorTime(task.pid), coreTime()];
await pause(1000 * task.seconds);
const seconds = (performance.now() - began) / 1000;
const used = processorTime(task.pid) - spent;
const others = coreTime() - core - used;
const load = process.cpuUsage(own);
times.sort((one, other) => one - other);
const quantile = (share) => times[Math.round(share * (times.length - 1))] ?? 0;
const found = {
  sockets: task.sockets,
  rate: times.length / seconds,
  server_us: (1e6 * used) / Math.max(1, times.length),
  seconds,
  server_share: used / seconds,
  redis_share: 0,
  load_share: (load.user + load.system) / 1e6 / seconds,
  others_share: Math.max(0, others) / seconds,
  p50: quantile(0.5),
  p99: quantile(0.99),
  p999: quantile(0.999),
  worst: quantile(1),
};
process.stdout.write(JSON.stringify(found), () => process.exit(0));
