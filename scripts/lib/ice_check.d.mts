export interface CheckOptions {
  /** Of the other side. */
  to: string;
  role: 'controlling' | 'controlled';
  nominate?: boolean;
}
export function bindingRequest(from: string, options: CheckOptions): Buffer;
export function bindingSuccess(request: Buffer): Buffer;
