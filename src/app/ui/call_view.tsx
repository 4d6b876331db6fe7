/** The call itself: its pictures, and where its numbers come from. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

import type { Session } from '../session/session.js';

export function Video({
  stream,
  label,
  children,
}: {
  stream: MediaStream | null;
  label: string;
  children?: ComponentChildren;
}) {
  const element = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    if (element.current) element.current.srcObject = stream;
  }, [stream]);
  return (
    <figure class="video" hidden={stream === null}>
      <video ref={element} autoplay muted playsInline aria-label={`${label} video`} />
      <figcaption>
        {label} {children}
      </figcaption>
    </figure>
  );
}

/** Where numbers come from: which bottleneck, who is in charge, how times are taken. */
export function Provenance({ session }: { session: Session }) {
  const status = session.status.value;
  if (!status) return null;
  const late = session.lateness.value;
  const inCharge = {
    control: 'GCC in control',
    cap: 'GCC caps the browser’s controller',
    observe: 'the browser’s own controller',
  };
  const asked =
    status.effectiveMode === status.requestedMode ? '' : ` (${status.requestedMode} was asked for)`;
  const bottleneck = {
    shaper: `shaper, real packets${late ? `, p95 ${late.p95_ms.toFixed(1)} ms late` : ''}`,
    'in-page': 'in the page, whole frames',
    none: 'none here',
  };
  const facts = [
    ['In charge', inCharge[status.effectiveMode] + asked],
    ['Bottleneck', bottleneck[status.bottleneck]],
    ['Send times', status.sendTimeSource === 'trailer' ? 'frame trailer' : 'RTP timestamps (shadow mode)'],
    [
      'Arrival times',
      status.arrivalTimeSource === 'receiveTime' ? 'last packet’s arrival' : 'callback (coarse)',
    ],
  ];
  return (
    <dl class="provenance">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
