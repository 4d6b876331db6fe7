/** Sidebar: common networks. Each button sets the fields of the link, which are below the buttons. */
import { isOnNetwork, NETWORK_BUTTONS, USUAL_NETWORK } from '../networks.js';
import { change, settings } from '../settings.js';

export function NetworkButtons() {
  return (
    <div class="row networks" role="group" aria-label="Networks">
      {NETWORK_BUTTONS.map(({ name, about, link }) => (
        <button
          key={name}
          type="button"
          title={about}
          aria-pressed={isOnNetwork(settings.value, link)}
          onClick={() => change(link)}
        >
          {name}
        </button>
      ))}
      <button
        type="button"
        class="quiet"
        title="Back to the usual link"
        disabled={isOnNetwork(settings.value, USUAL_NETWORK)}
        onClick={() => change(USUAL_NETWORK)}
      >
        Reset
      </button>
    </div>
  );
}
