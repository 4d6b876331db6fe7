/**
 * Numbers that are passed to the core. A number that does not fit is never truncated, but refused with an error that
 * names the field.
 */
import { beforeAll, describe, expect, it } from 'vitest';

import {
  controllerSetup,
  decodeFeedback,
  encodeFeedback,
  loadCore,
  type ArrivalInput,
  type Core,
  type Feedback,
} from '../../src/core/index.js';
import { refused } from '../support/refused.js';

let core: Core;
beforeAll(async () => {
  core = await loadCore();
});

const ARRIVAL: ArrivalInput = { seq: 1, sendTimeUs: 0, arrivalTimeUs: 30_000, sizeBytes: 1000 };
const FEEDBACK: Feedback = {
  ...{ timeUs: 0, receivedRateBps: 1e5, packetsReceived: 1, packetsLost: 0 },
  ...{ echoSendTimeUs: 0, echoDelayUs: 0, values: [3e5, 0] },
};

describe('an arrival', () => {
  it.each([
    [{ absSendTime: 2 ** 24 }, 'abs_send_time', '2^24 - 1'],
    [{ absSendTime: -1 }, 'abs_send_time', '2^24 - 1'],
    [{ absSendTime: 1.5 }, 'abs_send_time', '2^24 - 1'],
    [{ absSendTime: Infinity }, 'abs_send_time', '2^24 - 1'],
    [{ absSendTime: 1e300 }, 'abs_send_time', '2^24 - 1'],
    [{ rtpTimestamp: 2 ** 32 }, 'rtp_timestamp', '2^32 - 1'],
    [{ rtpTimestamp: -1 }, 'rtp_timestamp', '2^32 - 1'],
    [{ rtpTimestamp: 0.5 }, 'rtp_timestamp', '2^32 - 1'],
    [{ rttUs: Infinity }, 'rtt_us', '2^53'],
    [{ rttUs: 1e300 }, 'rtt_us', '2^53'],
  ])('with %j is refused, and the next one is not', (wrong, field, expected) => {
    const half = core.createReceiver();
    const error = refused(() => half.pushArrival({ ...ARRIVAL, ...wrong }));
    expect(error.field).toBe(field);
    expect(error.message).toContain(expected);
    expect(half.takeFeedback()).toBeNull();
    half.pushArrival({ ...ARRIVAL, absSendTime: 2 ** 24 - 1, rtpTimestamp: 2 ** 32 - 1, rttUs: 50_000 });
    expect(half.takeFeedback()).not.toBeNull();
    half.destroy();
  });
});

describe('what a half is told', () => {
  it.each([-1, 1.5, 2 ** 32, NaN])('flow %d is refused', (flow) => {
    expect(refused(() => core.createReceiver({ flow })).field).toBe('flow');
    expect(refused(() => core.createSender({ flow })).field).toBe('flow');
  });

  it.each([
    ['timeUs', 'time_us', false],
    ['receivedRateBps', 'received_rate_bps', true],
    ['packetsReceived', 'packets_received', false],
    ['packetsLost', 'packets_lost', false],
    ['echoSendTimeUs', 'echo_send_time_us', true],
    ['echoDelayUs', 'echo_delay_us', true],
  ] as const)('a message has a number as %s, where it has one at all', (name, field, mayBeAbsent) => {
    const half = core.createSender();
    for (const wrong of [Infinity, -Infinity, ...(mayBeAbsent ? [] : [NaN, 1e300])]) {
      const message = { ...FEEDBACK, [name]: wrong };
      expect(refused(() => half.pushFeedback(message, 0)).field).toBe(field);
      if (!Number.isFinite(wrong)) expect(decodeFeedback(encodeFeedback(message))).toBeNull();
    }
    const absent = mayBeAbsent ? { ...FEEDBACK, [name]: NaN } : FEEDBACK;
    expect(decodeFeedback(encodeFeedback(absent))?.feedback).toEqual(absent);
    half.pushFeedback(absent, 0);
    half.destroy();
  });

  it('bytes sent and RTTs are numbers or absent', () => {
    const half = core.createSender();
    expect(refused(() => half.pushSent(0, Infinity)).field).toBe('sent_bytes');
    expect(refused(() => half.pushSent(0, 1000, 1e300)).field).toBe('rtt_us');
    half.pushSent(0, NaN, NaN);
    half.destroy();
  });
});

describe('the ABI', () => {
  it('reads no rows beyond its buffer, also where their count wraps 32 bits', () => {
    const { module } = core;
    const { index, values } = controllerSetup({}, 'live');
    module.input(values);
    const pointer = module.found(module.abi.ccs_receiver_create(index, 0));
    module.abi.ccs_session_buffer(pointer, 9);
    // A row has nine numbers, so 477,218,589 rows have 2^32 + 5 numbers. Truncated to 32 bits, that would be
    // only 5.
    for (const rows of [-1, 2, 477_218_589, 2 ** 31 - 1])
      expect(module.abi.ccs_receiver_push_arrivals(pointer, rows), String(rows)).toBe(1);
    expect(module.lastError().field).toBe('rows');
    expect(module.abi.ccs_session_buffer(pointer, -1)).toBeGreaterThan(0);
    expect(module.abi.ccs_session_parameter(pointer, -1)).toBeNaN();
    expect(module.abi.ccs_session_parameter(pointer, 1000)).toBeNaN();
    const recorder = module.abi.ccs_session_recorder(pointer);
    expect([-1, 1000].map((table) => module.abi.ccs_trace_rows(recorder, table))).toEqual([0, 0]);
    module.abi.ccs_session_destroy(pointer);
  });
});

describe('integers of links and simulations', () => {
  it.each([1.5, NaN, Infinity, 2 ** 32 + 1, -1])('flow %d of a packet is refused', (flow) => {
    const link = core.createLink({ capacityBps: 1e6 });
    expect(refused(() => link.enqueue(0, 1000, 0, flow)).field).toBe('flow');
    expect(link.stats(0).offeredPackets).toBe(0);
    link.destroy();
  });

  it('a packet has a whole number, and an outage whole phases', () => {
    const link = core.createLink({ capacityBps: 1e6 });
    expect(refused(() => link.enqueue(0.5, 1000, 0)).field).toBe('packetId');
    const outages = { meanOnUs: 1e5, meanOffUs: 1e5, offPhases: 1.5 };
    expect(refused(() => link.set({ outages }, 0)).field).toBe('offPhases');
    link.destroy();
    const forward = { capacityBps: 1e6, outages };
    const options = { durationUs: 1e6, forward, flows: [{ kind: 'media' as const }] };
    expect(refused(() => core.createSimulation(options)).field).toBe('forward.outages.offPhases');
  });

  it('a density is of a flow with a whole number', () => {
    const forward = { capacityBps: 1e6 };
    const simulation = core.createSimulation({ durationUs: 1e6, forward, flows: [{ kind: 'media' }] });
    expect(refused(() => simulation.density(0.5)).field).toBe('flow');
    simulation.destroy();
  });
});
