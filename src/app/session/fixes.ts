/** Advice for the user about a call that did not start. */
import { CallError } from '../../rtc/index.js';
import { NotAtHand } from '../own_controllers.js';
import { ServerError } from './server_client.js';

export function fixOf(error: unknown): string {
  if (error instanceof NotAtHand) return 'Choose the file again, or another controller, then press Start.';
  if (error instanceof DOMException && error.name === 'NotAllowedError') {
    return 'Allow the camera in the browser, or choose the synthetic camera.';
  }
  if (error instanceof DOMException && error.name === 'NotFoundError') return 'Choose the synthetic camera.';
  if (error instanceof CallError && error.field === undefined)
    return 'Use a current Chrome, Edge, Firefox or Safari.';
  if (error instanceof ServerError && error.field === undefined)
    return 'Run npm start and open the address that it prints.';
  return 'Change the setting that the message names, then press Start again.';
}
