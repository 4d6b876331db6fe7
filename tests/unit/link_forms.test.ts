/** How a form parses the text of a link's settings, and how it formats them. */
import { describe, expect, it } from 'vitest';

import { COMPONENT_SPECS, QUEUE_KINDS } from '../../src/core/index.js';
import { parseState, serialiseState, DEFAULT_STATE } from '../../src/app/state.js';
import { isOnNetwork, NETWORK_BUTTONS, USUAL_NETWORK } from '../../src/app/networks.js';
import { expectedText } from '../../src/app/ui/number_input.js';
import { CrossRate } from '../../src/link/cross_rate.js';
import {
  LINK_WORDS,
  QUEUE_EFFECTS,
  QUEUE_GROUPS,
  QUEUE_NAMES,
  QUEUE_SETTING_NAMES,
  queueTitle,
} from '../../src/link/words.js';
import { crossText, PARTS_FORMS } from '../../src/link/load_form.js';
import {
  limitOf,
  limitsOf,
  ownValue,
  queueForm,
  QueueMemory,
  queueText,
  queueWithLimit,
  settingsOf,
  withLimit,
  withSetting,
} from '../../src/link/queue_form.js';
import { DISCIPLINES, parseQueue } from '../../src/link/queue_text.js';

describe('a queue as fields', () => {
  it.each([
    ...LINK_WORDS.queue.examples,
    ...Object.keys(QUEUE_NAMES).filter((name) => name !== 'droptail'),
    'codel:target=13ms,interval=90ms,mtu=1000,least_backlog=largest',
    'pie-rfc8033:t_update=0.5ms,alpha=0.2,integer_rate=on',
    'sfq:100p,buckets=16,perturb_s=10',
    'fq_codel:quantum=300,drop_batch=1',
  ])('%s is what its fields write', (text) => {
    expect(parseQueue(queueText(queueForm(text)))).toEqual(parseQueue(text));
  });

  it('names every discipline and every setting, and lists each discipline in one group of the menu', () => {
    const all = [...DISCIPLINES.keys()].sort();
    expect(Object.keys(QUEUE_NAMES).sort()).toEqual(all);
    expect(Object.keys(QUEUE_EFFECTS).sort()).toEqual(all);
    const settings = QUEUE_KINDS.flatMap((kind) => COMPONENT_SPECS[kind].parameters.map(({ name }) => name));
    // The form has one field for a limit, whichever its unit is.
    const named = settings.filter((name) => name !== 'limit_ms' && name !== 'limit_bytes');
    expect(Object.keys(QUEUE_SETTING_NAMES).sort()).toEqual([...new Set(named)].sort());
    expect(QUEUE_GROUPS.flatMap(({ queues }) => queues).sort()).toEqual(all);
  });

  it('says DropTail’s limit, in which unit it ever is', () => {
    expect(queueText(queueForm('droptail'))).toBe('droptail:300ms');
    const form = withLimit(queueForm('droptail:64kB'), 'limit_packets', 40);
    expect(queueText(form)).toBe('droptail:40p');
    expect(limitOf(form)?.value).toBe(40);
    expect(limitOf(queueForm('sfq-linux'))).toMatchObject({ spec: { name: 'limit_packets' }, value: 127 });
  });

  it('leaves out what is as the discipline has it, and takes a value back', () => {
    const form = withSetting(queueForm('codel'), 'target_ms', 13);
    expect(queueText(form)).toBe('codel:target=13ms');
    expect(queueText(withSetting(form, 'target_ms', null))).toBe('codel');
  });

  it.each([
    ['droptail:300ms', 'DropTail 300 ms'],
    ['droptail:1p', 'DropTail 1 packet'],
    ['fq_codel:25p', 'FQ-CoDel 25 packets'],
    ['codel:25p,target=5ms', 'CoDel 25 packets, target=5 ms'],
  ])('%s has the title %s', (text, title) => {
    expect(queueTitle(text)).toBe(title);
  });

  it('is said with its limit, also if that is the default', () => {
    expect(queueWithLimit('fq_codel')).toBe('fq_codel:10240p');
    expect(queueWithLimit('codel:target=13ms')).toBe('codel:1000p,target=13ms');
    expect(queueWithLimit('droptail:64kB')).toBe('droptail:64000B');
    expect(queueWithLimit('sfq-linux')).toBe('sfq-linux:127p');
  });

  it.each([...DISCIPLINES.keys()])('every setting of %s can be written', (discipline) => {
    for (const spec of [...settingsOf(discipline), ...limitsOf(discipline)]) {
      const own = ownValue(discipline, spec);
      const value = spec.values ? (own + 1) % spec.values.length : Math.min(own + 1, spec.max);
      const form = withSetting({ discipline, given: {} }, spec.name, value);
      expect(queueForm(queueText(form)), spec.name).toEqual(form);
    }
  });
});

describe('a change of the discipline', () => {
  /** The queue after the user has chosen each discipline in turn, at 3 Mbps. */
  const chosen = (text: string, ...disciplines: readonly string[]): string => {
    const memory = new QueueMemory();
    return queueText(disciplines.reduce((form, each) => memory.change(form, each, 3e6), queueForm(text)));
  };

  it('keeps a limit of the user’s own, in packets if need be', () => {
    expect(chosen('droptail:500ms', 'sfq')).toBe('sfq:500ms');
    expect(chosen('droptail:500ms', 'codel')).toBe('codel:125p');
    expect(chosen('droptail:30kB', 'pie')).toBe('pie:20p');
    expect(chosen('codel:200p', 'droptail')).toBe('droptail:200p');
  });

  it('gives back the limit that was converted, however many disciplines lie between', () => {
    expect(chosen('droptail:500ms', 'codel', 'fq_codel', 'droptail')).toBe('droptail:500ms');
  });

  it('leaves a default as the discipline has it', () => {
    expect(chosen('droptail', 'codel')).toBe('codel');
    expect(chosen('fq_codel', 'droptail')).toBe('droptail:300ms');
  });

  it('gives a discipline its own settings back', () => {
    expect(chosen('codel:target=13ms', 'droptail', 'codel')).toBe('codel:target=13ms');
  });

  it('says what was converted until the limit is changed', () => {
    const memory = new QueueMemory();
    const codel = memory.change(queueForm('droptail:500ms'), 'codel', 3e6);
    expect(memory.conversion(codel)).toMatchObject({ from: { value: 500 }, packets: 125, capacityBps: 3e6 });
    expect(memory.conversion(withLimit(codel, 'limit_packets', 200))).toBeNull();
    expect(memory.conversion(queueForm('droptail:125p'))).toBeNull();
  });

  it('cannot convert a time without a capacity', () => {
    expect(queueText(new QueueMemory().change(queueForm('droptail:500ms'), 'codel', null))).toBe('codel');
  });
});

describe('outages, reordering and cross traffic as numbers', () => {
  it.each([
    ['outage', '100ms/20ms', [20, 100]],
    ['outage', '2s/0.5s', [500, 2000]],
    ['reorder', '0.01/20ms', [1, 20]],
    ['reorder', '7%/1s', [7, 1000]],
    ['cross_traffic', 'cubic:2,newreno:1', [2, 1]],
    ['cross_traffic', 'cubic', [1, 0]],
  ] as const)('%s %s', (field, text, values) => {
    const { read, write } = PARTS_FORMS[field];
    expect(read(text)).toEqual(values);
    expect(read(write(values, text))).toEqual(values);
  });

  it('is none where the first number is 0, and none has no numbers of its own', () => {
    expect(PARTS_FORMS.outage.write([0, 100], 'none')).toBe('none');
    expect(PARTS_FORMS.reorder.write([0, 20], 'none')).toBe('none');
    expect(PARTS_FORMS.outage.read('none')).toBeNull();
    expect(crossText({})).toBe('none');
  });

  it.each(Object.entries(PARTS_FORMS))('%s: whatever its fields accept can be read again', (_, form) => {
    const { parts, usual, read, write } = form;
    for (const [index, part] of parts.entries()) {
      const { min, max, leastAboveZero = min, isWhole } = part;
      const numbers = [0, 1e-9, 0.00001, 0.5, min, leastAboveZero, 12.5, max].filter(
        (number) => expectedText(number, part) === '',
      );
      expect(numbers.length, part.name).toBeGreaterThan(isWhole === true ? 1 : 3);
      for (const number of numbers) {
        const values = usual.map((value, i) => (i === index ? number : i === 0 ? 20 : value));
        const text = write(values, 'none');
        expect(() => read(text), text).not.toThrow();
      }
    }
  });

  it('writes a small number without an exponent', () => {
    expect(PARTS_FORMS.reorder.write([0.00001, 20], 'none')).toBe('0.0000001/20ms');
    expect(PARTS_FORMS.reorder.read('0.0000001/20ms')).toEqual([0.00001, 20]);
  });

  it('refuses outages that are shorter than a link can have', () => {
    const [off] = PARTS_FORMS.outage.parts;
    if (off === undefined) throw new Error('there is no such part');
    for (const number of [0, 1, 12.5, 60_000]) expect(expectedText(number, off), `${number}`).toBe('');
    for (const number of [0.5, -1, 60_001, NaN])
      expect(expectedText(number, off), `${number}`).toBe('0, or a number from 1 to 60000 ms');
  });

  it('keeps what has no field', () => {
    expect(PARTS_FORMS.outage.write([30, 100], '100ms/20msx3')).toBe('100ms/30msx3');
  });
});

describe('networks of one press', () => {
  it.each(NETWORK_BUTTONS.map((each) => [each.name, each] as const))(
    '%s is a link of an address',
    (_, { link }) => {
      const state = { ...DEFAULT_STATE, ...link };
      expect(parseState(serialiseState(state))).toEqual({ state, problems: [] });
      expect(NETWORK_BUTTONS.filter((each) => isOnNetwork(state, each.link))).toHaveLength(1);
      expect(isOnNetwork(state, USUAL_NETWORK)).toBe(false);
      expect(isOnNetwork({ ...state, ...USUAL_NETWORK }, USUAL_NETWORK)).toBe(true);
    },
  );

  it('leave the seed alone', () => {
    for (const { link } of NETWORK_BUTTONS) expect(link).not.toHaveProperty('seed');
  });
});

describe('the rate of cross traffic', () => {
  it('is the rate of the last half second, and null before anything arrived', () => {
    const rate = new CrossRate();
    const seen = Array.from({ length: 21 }, (_, i) => rate.see(i * 1e5, Math.max(0, i - 5) * 12_500));
    expect(seen.slice(0, 6)).toEqual([null, null, null, null, null, null]);
    expect(seen[10]).toBe(1e6);
    expect(seen.at(-1)).toBe(1e6);
  });

  it('is 0 once it has ended, and begins again with another link', () => {
    const rate = new CrossRate();
    for (let i = 0; i <= 10; i++) rate.see(i * 1e5, i * 1000);
    const ended = Array.from({ length: 6 }, (_, i) => rate.see((11 + i) * 1e5, 10_000));
    expect(ended.at(-1)).toBe(0);
    expect(rate.see(18e5, 0)).toBeNull();
    expect(rate.see(19e5, 12_500)).toBe(1e6);
  });
});
