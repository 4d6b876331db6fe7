/** Renders a TeX formula as MathML, which the browser lays out. */
import { useEffect, useRef } from 'preact/hooks';
import temml from 'temml';

export function Formula({ tex }: { tex: string }) {
  const span = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (span.current) temml.render(tex, span.current, { displayMode: true });
  }, [tex]);
  return <span class="formula" ref={span} />;
}
