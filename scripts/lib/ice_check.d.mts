export interface CheckOptions {
  /** The user name fragment of the other side. */
  to: string;
  role: 'controlling' | 'controlled';
  nominate?: boolean;
  /**
   * The user name fragment of the agent whose password protects the request: a stranger can use
   * only its own. Default: `to`.
   */
  knownTo?: string;
}
export function bindingRequest(from: string, options: CheckOptions): Buffer;
export function bindingSuccess(request: Buffer, ufrag: string): Buffer;
export function bindingError(request: Buffer): Buffer;
export function isAuthentic(packet: Buffer, ufrag: string): boolean;
