/** A list of parameters with a search. The most important parameters come first; the others are shown on request. */
import { useSignal } from '@preact/signals';

import type { ParameterSpec } from '../../core/schema.js';
import type { OrderedParameters } from '../parameter_order.js';
import { LazyDetails } from './lazy_details.js';
import { ParameterInput } from './parameter_input.js';

interface ParameterListProps extends OrderedParameters {
  /** A parameter's value in the preset. */
  baseOf: (parameter: ParameterSpec) => number;
  /** The prefix of the `name` of each field's HTML element. */
  names: string;
  /** The values that differ from the preset, by name. */
  given: Readonly<Record<string, number>>;
  /** Called with a new value; null stands for the preset's value. */
  onChange: (name: string, value: number | null) => void;
  onReset: () => void;
}

/** The Greek letters in charts and equations, with their spelling in the names of parameters. */
const GREEK: Readonly<Record<string, string>> = {
  ...{ α: 'alpha', β: 'beta', γ: 'gamma', δ: 'delta', ε: 'epsilon', η: 'eta' },
  ...{ κ: 'kappa', λ: 'lambda', σ: 'sigma', τ: 'tau', χ: 'chi' },
};
const spelled = (text: string): string => text.replace(/[α-ω]/g, (letter) => GREEK[letter] ?? letter);

/** A list of at most this many parameters has no search field. */
const FEW = 10;

export function ParameterList({
  first,
  others,
  baseOf,
  names,
  given,
  onChange,
  onReset,
}: ParameterListProps) {
  // Hidden fields are not created, since there are many parameters.
  const search = useSignal('');
  const all = [...first, ...others];
  const words = spelled(search.value.trim().toLowerCase());
  const found =
    words === ''
      ? null
      : all.filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(words));
  const field = (parameter: ParameterSpec) => {
    const base = baseOf(parameter);
    return (
      <ParameterInput
        key={parameter.name}
        parameter={parameter}
        name={`${names}.${parameter.name}`}
        base={base}
        baseIs="preset"
        value={given[parameter.name] ?? base}
        changed={parameter.name in given}
        onChange={(value) => onChange(parameter.name, value)}
      />
    );
  };
  return (
    <>
      {all.length > FEW && (
        <div class="row">
          <input
            type="search"
            placeholder={`Find among ${all.length}`}
            aria-label="Find a parameter"
            value={search.value}
            onInput={(e) => (search.value = e.currentTarget.value)}
          />
          <button type="button" disabled={Object.keys(given).length === 0} onClick={onReset}>
            Reset all
          </button>
        </div>
      )}
      {(found ?? first).map(field)}
      {found?.length === 0 && <p class="hint">None has these words.</p>}
      {found === null && others.length > 0 && (
        <LazyDetails summary={`${others.length} more`}>{() => others.map(field)}</LazyDetails>
      )}
    </>
  );
}
