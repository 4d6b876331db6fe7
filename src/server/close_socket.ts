/** Ends WebSocket connections when the server shuts down or a session ends. */
import type { WebSocket } from 'ws';

/** "Going away" (RFC 6455, section 7.4.1). */
const GOING_AWAY = 1001;

/** Closes a connection, by force if the client does not respond in time. Never rejects. */
export function closeSocket(socket: WebSocket, timeoutMs: number): Promise<void> {
  if (socket.readyState === socket.CLOSED) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => socket.terminate(), timeoutMs);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.close(GOING_AWAY);
  });
}
