/** The WebSocket for bots in Node. */

import { WebSocket } from "ws";
import type { OpenSocket } from "./socket.ts";

/** Open a WebSocket in Node with the `ws` package. */
export const nodeSocket: OpenSocket = (url, events) => {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  socket.binaryType = "nodebuffer";
  socket.on("open", () => events.opened());
  socket.on("message", (data, isBinary) => {
    if (isBinary && Buffer.isBuffer(data)) events.received(data);
  });
  let cause: NodeJS.ErrnoException | undefined;
  // The message is empty if the host has several addresses.
  socket.on("close", (code) => events.closed(code, cause?.message || cause?.code, cause));
  // A close always follows an error, and the connection acts on that.
  socket.on("error", (error) => {
    cause = error;
  });
  return {
    send: (frame) => socket.send(frame),
    close: () => socket.terminate(),
  };
};
