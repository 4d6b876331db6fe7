/** The texts of the notices that a page's observer reports to the user. */
import type { RecordNotice, RelayAddress } from './protocol.js';

const GET_STATS = 'frames are not timed individually, and the record has only what getStats counts';

const AS_SHOWN =
  'received frames are timed as the browser shows them, and the bytes of each half second are divided equally among its frames; key frames are not marked, and frames that were not shown are missing';

/**
 * Rewrites a notice which says that only getStats is used. The new text says that frames are timed when the
 * browser shows them.
 */
export const asShown = ({ message, ...rest }: RecordNotice): RecordNotice => ({
  ...rest,
  message: message.replace(GET_STATS, AS_SHOWN),
});

export const pageTransforms = (): RecordNotice => ({
  level: 'info',
  code: 'page-transforms',
  message: `The page uses its own encoded transforms, which are left alone: ${GET_STATS}.`,
  fix: 'nothing to do; rates, losses and freezes are still measured',
});

export const noTransforms = (): RecordNotice => ({
  level: 'warning',
  code: 'no-transforms',
  message: `This browser has no RTCRtpScriptTransform: ${GET_STATS}.`,
  fix: 'use Chrome 141, Firefox 117 or Safari 15.4, or newer',
});

export const workerRefused = (): RecordNotice => ({
  level: 'warning',
  code: 'worker-refused',
  message: `The observer's worker could not start, usually because the page's Content-Security-Policy refuses it: ${GET_STATS}.`,
  fix: "allow worker-src blob: in the page; in a test, set bypassCSP: true in Playwright's options",
});

const EARLIER =
  'load ccscope before the call starts (reload the page, then start ccscope at once) to see every frame with its size';

export const joinedLate = (): RecordNotice => ({
  level: 'info',
  code: 'joined-late',
  message: `This call was already running when ccscope began to observe it: ${GET_STATS}.`,
  fix: EARLIER,
});

const HIDDEN_CONNECTION =
  'ccscope cannot reach a connection that the page made before ccscope was there and has not used since';

const REACH =
  'to keep the call, enter queryObjects(RTCPeerConnection) in the console of Chromium, choose "Store as global variable" in the context menu of the array that it prints, and enter temp1.map((each) => each.getStats()). In another browser, reload the page with ccscope loaded from the start';

export const onlyReceiver = (): RecordNotice => ({
  level: 'warning',
  code: 'only-receiver',
  message: `${HIDDEN_CONNECTION}: one of its receivers is visible, but not what it sends or its other streams.`,
  fix: REACH,
});

export const onlyShown = (): RecordNotice => ({
  level: 'warning',
  code: 'only-shown',
  message: `${HIDDEN_CONNECTION}: only the displayed pictures of its video are visible. Rates, losses, delays, audio, and what it sends are unknown, and no controller runs beside it.`,
  fix: REACH,
});

export const relayPolicy = (): RecordNotice => ({
  level: 'warning',
  code: 'relay-policy',
  message:
    "The page asked for iceTransportPolicy 'relay', which would keep the browser from using the link: 'all' is used instead.",
  fix: 'nothing to do; the effect of the TURN servers is not part of the call under test',
});

/** The fix depends on whether the connection was created before the page was observed (`isLate`). */
export const notRouted = ({ address, port }: RelayAddress, isLate: boolean): RecordNotice => ({
  level: 'error',
  code: 'not-routed',
  message: `The connection bypasses the link: packets went to ${address === '' ? '' : `${address}, `}port ${port}.`,
  fix: isLate
    ? 'the page made this connection before it was observed: use the `call` (or `link`) fixture in the test or hook that opens the page, or call `await call.observe(context)` before the page navigates'
    : 'the far side knew another address of the page: make it send only to the candidates that the page signalled',
});

export const tcpOnly = (): RecordNotice => ({
  level: 'error',
  code: 'ice-tcp',
  message:
    'The far side offers only TCP candidates, but the link carries only UDP: no connection can be made.',
  fix: 'make the server offer UDP candidates as well, at least in tests',
});
