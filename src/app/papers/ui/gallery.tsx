/** The pictures of an experiment, drawn from the figures of its report. */
import type { PictureFigures } from '../../../figures/pictures.js';
import { FigureDrawing } from '../../ui/figure_drawing.js';

function Picture({ picture: { title, columns } }: { picture: PictureFigures }) {
  const isStacked = columns.some((column) => column.length > 1);
  return (
    <figure class={isStacked || columns.length > 1 ? 'wide' : ''}>
      <div class={`panels${isStacked ? ' stacked' : ''}`}>
        {columns.map((column, index) => (
          <div key={index}>
            {column.map((figure) => (
              <div key={figure.title}>
                <FigureDrawing figure={figure} heading="h3" />
              </div>
            ))}
          </div>
        ))}
      </div>
      {title !== '' && <figcaption>{title}</figcaption>}
    </figure>
  );
}

export function Gallery({ pictures }: { pictures: readonly PictureFigures[] }) {
  return (
    <div class="gallery">
      {pictures.map((picture, index) => (
        <Picture key={index} picture={picture} />
      ))}
    </div>
  );
}
