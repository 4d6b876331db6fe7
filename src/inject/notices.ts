/** What a page's observer has to say to people. */
import type { RecordNotice, RelayAddress } from './protocol.js';

const GET_STATS = 'frames are not timed one by one, and the record has what getStats counts';

export const pageTransforms = (): RecordNotice => ({
  level: 'info',
  code: 'page-transforms',
  message: `The page has encoded transforms of its own, which are left alone: ${GET_STATS}.`,
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
  fix: "set bypassCSP: true in Playwright's options, or allow worker-src blob: in the page under test",
});

export const relayPolicy = (): RecordNotice => ({
  level: 'warning',
  code: 'relay-policy',
  message:
    "The page asked for iceTransportPolicy 'relay', with which the browser would not use the link's address: 'all' is used.",
  fix: 'nothing to do; what the TURN servers add is not part of the call under test',
});

/** Why something went past the link, and what to do, depend on when the connection was made. */
export const notRouted = ({ address, port }: RelayAddress, isLate: boolean): RecordNotice => ({
  level: 'error',
  code: 'not-routed',
  message: `The connection does not keep to the link: packets went ${address === '' ? '' : `to ${address} `}past it (port ${port}).`,
  fix: isLate
    ? 'name call (or link) beside page where the page is opened, or await call.observe(context) before it navigates: the page had made this connection before it was observed'
    : 'let the far side send only to the candidates that the page has told it: this one knew another address of the page',
});

export const tcpOnly = (): RecordNotice => ({
  level: 'error',
  code: 'ice-tcp',
  message:
    'The far side named only TCP candidates, and the link carries UDP: the connection cannot come about.',
  fix: 'let the server offer UDP candidates in tests, beside those for TCP',
});
