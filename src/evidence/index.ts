/** Evidence of a call under test, created from its record: trace, metrics, an interactive page, a picture. */
export { holds, type EvidenceInput } from './input.js';
export { CAPTURES, linkCaptureFiles, type LinkCapture } from './link_capture.js';
export { measure, type EvidenceMetrics } from './measure.js';
export { durationUs } from './extent.js';
export { evidenceFiles, type EvidenceFile } from './files.js';
export { evidenceHtml } from './html.js';
export { metricsRow } from './metrics.js';
export { propertiesOf } from './properties.js';
export { traceLines } from './trace.js';
