/**
 * The form of the lines that pages' messages left in a recording. Only what the reader and the judgement of the record
 * rely on is checked, since recordings of earlier versions lack some fields.
 */
import * as v from 'valibot';

const timeUs = v.pipe(v.number(), v.finite());
const streams = v.array(v.looseObject({}));
const ufrags = v.array(v.string());

export const placeForm = v.object({
  endpoint: v.number(),
  page: v.number(),
  place: v.picklist(['page', 'iframe', 'popup']),
  url: v.string(),
});
export const heardForm = v.object({ time_us: timeUs, page: v.number(), url: v.string() });

/** The forms by the types of lines. Lines of other types are not read. */
export const LINE_FORMS: ReadonlyMap<string, v.GenericSchema> = new Map<string, v.GenericSchema>([
  ['heard', heardForm],
  ['endpoint', placeForm],
  ['state', v.object({ time_us: timeUs, state: v.string() })],
  ['local', v.object({ ufrags })],
  ['remote', v.object({ ufrags })],
  ['stats', v.object({ time_us: timeUs, outbound: streams, inbound: streams })],
  ['frames', v.object({ rows: v.array(v.unknown()), layers: v.optional(v.array(v.unknown())) })],
  ['source', v.object({ source: v.string() })],
  ['late', v.object({ time_us: timeUs, late_ms: v.nullable(v.number()) })],
  ['notice', v.object({ notice: v.looseObject({}) })],
  [
    'action',
    v.object({
      action: v.object({ target: v.looseObject({}) }),
      result: v.variant('ok', [
        v.object({ ok: v.literal(true), in_force: streams }),
        v.object({ ok: v.literal(false) }),
      ]),
    }),
  ],
]);
