/** Samedeal's client library: a session with the server, and the rules of its games. */

export { Api, type ApiOptions, type Rows } from "./api.ts";
export type * as ApiTypes from "./apiTypes.ts";
export type { AccountCommands, Leave, PasskeyPrompt, Removed } from "./account.ts";
export type { AttemptState } from "./attemptState.ts";
export type { ChallengeSettings } from "./challenges.ts";
export type { CircleCommands } from "./circles.ts";
export { Client, type ClientOptions } from "./client.ts";
export type { ConnectFailure, Status, Surroundings } from "./connection.ts";
export type {
  Account,
  AddPractice,
  Certificate,
  Challenge,
  ChallengeRow,
  Challenger,
  Circle,
  CircleChallenge,
  CircleFeed,
  CircleGone,
  CircleMember,
  CircleRecord,
  CircleRow,
  CircleSeason,
  CircleSummary,
  CircleTable,
  Dailies,
  Daily,
  DailyCrown,
  Deal,
  DeviceCode,
  Duel,
  Entry,
  Emoted,
  FeedItem,
  HeadToHead,
  Invitation,
  Leaderboard,
  LeagueResult,
  LeagueRound,
  LeagueTerms,
  Middle,
  Neighbours,
  OpenRoom,
  Place,
  Player,
  Practised,
  Proposal,
  Push,
  QuietHours,
  Result,
  ListCases,
  LookUp,
  Moderate,
  Operating,
  Report,
  RoomState,
  Round,
  Run,
  RunRow,
  Runner,
  Runs,
  Score,
  Seat,
  WatchLeaderboard,
} from "./messages.ts";
export type { PushCommands, PushSubscribed, PushTopics } from "./push.ts";
export type { LookUps, OperatorCommands } from "./operators.ts";
export type * as OperatorTypes from "./operatorTypes.ts";
export { EMOTES, PACE_BOT } from "./messages.ts";
export { Refusal } from "./refusal.ts";
export type { RoomSettings, Terms } from "./room.ts";
export { Replay, type RunFile, partingOf, runFileOf } from "./run.ts";
export type { OpenSocket, Socket, SocketEvents } from "./socket.ts";
export {
  BrowserStorage,
  memoryStorage,
  type TextStorage,
  tokenIn,
  type TokenStorage,
} from "./storage.ts";
export { type Readable, until } from "./store.ts";
export type { RunnerBoard, WatchEnded, WatchedRound } from "./watching.ts";

export * from "./rules/index.ts";
