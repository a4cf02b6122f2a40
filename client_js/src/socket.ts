/** The socket that a connection needs, and the one that browsers have. */

/** An open or opening socket for binary frames. */
export interface Socket {
  send(frame: Uint8Array): void;
  close(): void;
}

/** What a socket tells, never before `OpenSocket` has returned. `closed` comes once, at the end. */
export interface SocketEvents {
  opened(): void;
  received(frame: Uint8Array): void;
  /** `reason` says why it could not be opened, where that is known. */
  closed(code: number, reason?: string): void;
}

/** Opens a socket to an address. */
export type OpenSocket = (url: string, events: SocketEvents) => Socket;

/** The browser's WebSocket. In Node 20 there is none: pass `nodeSocket` from `./node` instead. */
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
