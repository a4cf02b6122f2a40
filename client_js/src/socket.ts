/** The socket interface of a connection, and its implementation for browsers. */

/** An open or opening socket for binary frames. */
export interface Socket {
  send(frame: Uint8Array): void;
  close(): void;
}

/** A socket's callbacks: none before `OpenSocket` has returned, none after `closed`. */
export interface SocketEvents {
  opened(): void;
  received(frame: Uint8Array): void;
  /** `reason` says why it could not be opened, and `cause` is its error, if known. */
  closed(code: number, reason?: string, cause?: unknown): void;
}

/** Opens a socket to a `ws:` or `wss:` URL. */
export type OpenSocket = (url: string, events: SocketEvents) => Socket;

/** The browser's WebSocket. Node 20 has none: pass `nodeSocket` from `./node` there. */
export const browserSocket: OpenSocket = (url, events) => {
  const socket = new WebSocket(url);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => events.opened();
  socket.onmessage = ({ data }) => {
    if (data instanceof ArrayBuffer) events.received(new Uint8Array(data));
  };
  socket.onclose = ({ code }) => events.closed(code);
  return {
    send: (frame) => socket.send(new Uint8Array(frame)),
    close: () => socket.close(),
  };
};
