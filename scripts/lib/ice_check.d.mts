export interface CheckOptions {
  /** The username fragment of the other agent. */
  to: string;
  role: 'controlling' | 'controlled';
  nominate?: boolean;
  /**
   * The username fragment of the agent whose password protects the request. Default: `to`. A sender that does not
   * know the password of `to` can only use its own.
   */
  knownTo?: string;
}
export function bindingRequest(from: string, options: CheckOptions): Buffer;
export function bindingSuccess(request: Buffer, ufrag: string): Buffer;
export function bindingError(request: Buffer): Buffer;
export function isAuthentic(packet: Buffer, ufrag: string): boolean;
