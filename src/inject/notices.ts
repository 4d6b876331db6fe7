/** The notices of a page's observer, for people. */
import type { RecordNotice, RelayAddress } from './protocol.js';

const GET_STATS = 'frames are not timed one by one, and the record has what getStats counts';

const AS_SHOWN =
  'received frames are timed as the browser shows them, each with an equal share of the bytes of its half second; key frames are not marked, and frames that were not shown are missing';

/** A notice as it reads if frames are timed as they are shown, instead of by getStats alone. */
export const asShown = ({ message, ...rest }: RecordNotice): RecordNotice => ({
  ...rest,
  message: message.replace(GET_STATS, AS_SHOWN),
});

export const pageTransforms = (): RecordNotice => ({
  level: 'info',
  code: 'page-transforms',
  message: `The page uses its own encoded transforms, which are left alone: ${GET_STATS}.`,
  fix: 'nothing to do; rates, losses and freezes are known all the same',
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
  message: `The page's Content-Security-Policy refuses the observer's worker: ${GET_STATS}.`,
  fix: "allow worker-src blob: in the page; in a test, set bypassCSP: true in Playwright's options",
});

const EARLIER = 'reload the page with ccscope in it from the start to see every frame with its size';

export const joinedLate = (): RecordNotice => ({
  level: 'info',
  code: 'joined-late',
  message: `This call ran before it was observed: ${GET_STATS}.`,
  fix: EARLIER,
});

const HIDDEN_CONNECTION =
  'The page keeps a connection to itself that it made before it was observed, and has not used it since';

export const onlyReceiver = (): RecordNotice => ({
  level: 'warning',
  code: 'only-receiver',
  message: `${HIDDEN_CONNECTION}: only one of its receivers is visible, but not what it sends or its other streams.`,
  fix: 'reload the page with ccscope in it from the start to see the whole connection',
});

export const onlyShown = (): RecordNotice => ({
  level: 'warning',
  code: 'only-shown',
  message: `${HIDDEN_CONNECTION}: of its video only the displayed pictures are visible. Rates, losses, delays, audio, and what it sends are unknown, and no controller runs beside it.`,
  fix: 'reload the page with ccscope in it from the start to see the whole connection',
});

export const relayPolicy = (): RecordNotice => ({
  level: 'warning',
  code: 'relay-policy',
  message:
    "The page asked for iceTransportPolicy 'relay', with which the browser would not use the link's address: 'all' is used.",
  fix: 'nothing to do; what the TURN servers add is not part of the call under test',
});

/** Why something bypassed the link, and what to do, depends on when the connection was made. */
export const notRouted = ({ address, port }: RelayAddress, isLate: boolean): RecordNotice => ({
  level: 'error',
  code: 'not-routed',
  message: `The connection bypasses the link: packets went to ${address === '' ? '' : `${address}, `}port ${port}.`,
  fix: isLate
    ? 'use the fixture call (or link) together with page where the page is opened, or await call.observe(context) before it navigates: the page had made this connection before it was observed'
    : 'let the far side send only to the candidates that the page has told it: this one knew another address of the page',
});

export const tcpOnly = (): RecordNotice => ({
  level: 'error',
  code: 'ice-tcp',
  message: 'The far side named only TCP candidates, and the link carries UDP: no connection can be made.',
  fix: 'let the server offer UDP candidates in tests, in addition to those for TCP',
});
