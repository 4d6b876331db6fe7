/** The choice of the controller whose internals are shown, among the controllers of a call or a file. */
import { useId } from 'preact/hooks';

import type { DrawnController } from '../../boards/recorded_controllers.js';

interface DetailProps {
  inCharge: DrawnController;
  shadows: readonly DrawnController[];
  detailed: number;
  onChoose: (flow: number) => void;
}

/**
 * The menu of the call's controllers, in charge or only watching. The charts show the internals of the chosen
 * controller. Without shadows (controllers that only watch), there is nothing to choose, so the menu is left out.
 */
export function DetailChoice({ inCharge, shadows, detailed, onChoose }: DetailProps) {
  const id = useId();
  if (shadows.length === 0) return null;
  return (
    <p class="flow-choice">
      <label for={id}>Look into</label>{' '}
      <select
        id={id}
        name="detail"
        value={detailed}
        onChange={({ currentTarget }) => onChoose(Number(currentTarget.value))}
      >
        {[inCharge, ...shadows].map(({ flow, name }) => (
          <option key={flow} value={flow} selected={flow === detailed}>
            {flow === inCharge.flow ? name : `${name} (shadow)`}
          </option>
        ))}
      </select>
    </p>
  );
}
