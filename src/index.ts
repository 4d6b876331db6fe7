/**
 * ccscope: measure, watch and control the congestion control of WebRTC calls. Calls and attachments
 * (`./rtc`), the core's controllers and links (`./core`), and traces (`./trace`).
 */
export * from './rtc/index.js';
export * from './core/index.js';
