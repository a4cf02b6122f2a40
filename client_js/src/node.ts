/** The socket for bots in Node. */

import { WebSocket } from "ws";
import type { OpenSocket } from "./socket.ts";

/** Opens a WebSocket in Node, with the `ws` package. */
export const nodeSocket: OpenSocket = (url, events) => {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  socket.binaryType = "nodebuffer";
  socket.on("open", () => events.opened());
  socket.on("message", (data, isBinary) => {
    if (isBinary && Buffer.isBuffer(data)) events.received(data);
  });
  let reason: string | undefined;
  socket.on("close", (code) => events.closed(code, reason));
  // An error is always followed by a close, which is what the connection acts on.
  socket.on("error", (error: NodeJS.ErrnoException) => {
    // Where a host has several addresses, the message is empty.
    reason = error.message || error.code;
  });
  return {
    send: (frame) => socket.send(frame),
    close: () => socket.terminate(),
  };
};
