import { describe, expect, it } from 'vitest';

import { SCHEMA } from '../../src/core/index.js';

const groups = [...Object.entries(SCHEMA.controllers), ...Object.entries(SCHEMA.components)];

describe.each(groups)('the schema of %s', (_, { parameters, presets }) => {
  it('says of each parameter what it is, with a default within its range', () => {
    for (const { name, description, section, min, max, default: value } of parameters) {
      expect(description, name).not.toBe('');
      expect(section, name).not.toBe('');
      expect(value, name).toBeGreaterThanOrEqual(min);
      expect(value, name).toBeLessThanOrEqual(max);
    }
  });

  it('says of each preset what it is, with parameters that exist and values within their ranges', () => {
    for (const preset of presets) {
      expect(preset.description, preset.name).not.toBe('');
      for (const [name, value] of Object.entries(preset.values)) {
        const parameter = parameters.find((candidate) => candidate.name === name);
        expect(parameter, name).toBeDefined();
        expect(value, name).toBeGreaterThanOrEqual(parameter?.min ?? Infinity);
        expect(value, name).toBeLessThanOrEqual(parameter?.max ?? -Infinity);
      }
    }
  });
});
