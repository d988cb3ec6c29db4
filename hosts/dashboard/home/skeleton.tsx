// The placeholder of the home screen while it loads.
import { useEffect, useState } from 'preact/hooks';
import { say } from './words.ts';

const delay = 300; // milliseconds before it is shown

const Bar = ({ width, height = 14 }: { width: number | string; height?: number }) => (
  <div class="sk" style={{ width: typeof width === 'number' ? `${width}px` : width, height: `${height}px` }} />
);

export function HomeSkeleton() {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), delay);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="page" aria-busy="true">
      <h1 class="unseen">{say('title')}</h1>
      <p class="unseen" role="status">
        {shown ? say('loading') : ''}
      </p>
      {shown ? (
        <div class="stack g6" aria-hidden="true">
          <div class="stack g2">
            <Bar width={220} height={28} />
            <Bar width={300} />
          </div>
          <div class="figs">
            {[0, 1, 2, 3].map((i) => (
              <div key={i} class="stack g2">
                <Bar width={90} height={12} />
                <Bar width={110} height={26} />
                <Bar width={130} height={12} />
              </div>
            ))}
          </div>
          <SkeletonRows picture={34} />
          <SkeletonRows picture={56} />
        </div>
      ) : null}
    </div>
  );
}

const SkeletonRows = ({ picture }: { picture: number }) => (
  <div class="card">
    <div class="in stack">
      {[0, 1, 2].map((i) => (
        <div key={i} class="row g3">
          <Bar width={picture * 1.5} height={picture} />
          <div class="grow stack g2">
            <Bar width="38%" />
            <Bar width="62%" height={12} />
          </div>
        </div>
      ))}
    </div>
  </div>
);
