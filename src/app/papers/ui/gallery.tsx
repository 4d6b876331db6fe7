/** The pictures of an experiment, drawn from the figures of its report. */
import type { PictureFigures } from '../../../figures/pictures.js';
import type { FigureOrigin } from '../../chart_files.js';
import { FigureDrawing } from '../../ui/figure_drawing.js';

type PictureProps = { picture: PictureFigures } & Pick<FigureOrigin, 'experiment'>;

function Picture({ picture: { title, columns }, experiment }: PictureProps) {
  const isStacked = columns.some((column) => column.length > 1);
  return (
    <figure class={isStacked || columns.length > 1 ? 'wide' : ''}>
      <div class={`panels${isStacked ? ' stacked' : ''}`}>
        {columns.map((column, index) => (
          <div key={index}>
            {column.map((figure) => (
              <div key={figure.title}>
                <FigureDrawing
                  figure={figure}
                  heading="h3"
                  {...(experiment !== undefined && { experiment })}
                />
              </div>
            ))}
          </div>
        ))}
      </div>
      {title !== '' && <figcaption>{title}</figcaption>}
    </figure>
  );
}

type GalleryProps = { pictures: readonly PictureFigures[] } & Pick<FigureOrigin, 'experiment'>;

/** `experiment` is absent if the pictures show several experiments. */
export function Gallery({ pictures, experiment }: GalleryProps) {
  return (
    <div class="gallery">
      {pictures.map((picture, index) => (
        <Picture key={index} picture={picture} {...(experiment !== undefined && { experiment })} />
      ))}
    </div>
  );
}
