// The checks before a message is sent.
import { CircleCheck, TriangleAlert } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useResource } from '../resources.ts';
import { Icon } from '../ui/icon.tsx';
import { ago, moment } from '../words.ts';
import { findBroken, isSitePath, referencesOf } from './checks.ts';
import { type Message, type News, sentPath, type Words } from './message.ts';
import { say } from './words.ts';

interface Props {
  readonly slug: string;
  readonly category: Message['category'];
  readonly words: Words;
  /** When a test of this text was sent, or "". */
  readonly testedAt: string;
}

/** The list of checks. A warning does not prevent sending. */
export function Checks({ slug, category, words, testedAt }: Props) {
  const broken = useBroken(words);
  const last = useResource<News>(sentPath(slug)).value?.sent.find((m) => m.category === category);
  const { pictures, links } = referencesOf(words.body, words.ctaUrl);
  const remote = pictures.filter((p) => !isSitePath(p));
  const shown = pictures.length - remote.length;
  return (
    <div role="status">
      <ul class="stack g3 small checks">
        {testedAt ? (
          <Good>{say('check_tested', { time: moment(testedAt) })}</Good>
        ) : (
          <Warn>{say('check_untested')}</Warn>
        )}
        {broken.pictures.map((p) => (
          <Warn key={p}>{say('check_picture', { path: p })}</Warn>
        ))}
        {broken.links.map((l) => (
          <Warn key={l}>{say('check_link', { path: l })}</Warn>
        ))}
        {remote.map((p) => (
          <Warn key={p}>{say('check_remote', { path: p })}</Warn>
        ))}
        {broken.checked && shown && !broken.pictures.length ? (
          <Good>{say('check_pictures', { count: shown })}</Good>
        ) : null}
        {broken.checked && links.length && !broken.links.length ? (
          <Good>{say('check_links', { count: links.length })}</Good>
        ) : null}
        {last ? (
          <li class="row top muted">{say('check_last', { ago: ago(last.sentAt), subject: last.subject })}</li>
        ) : null}
      </ul>
    </div>
  );
}

const Good = ({ children }: { children: ComponentChildren }) => (
  <li class="row top good">
    <Icon of={CircleCheck} small />
    <span>{children}</span>
  </li>
);

const Warn = ({ children }: { children: ComponentChildren }) => (
  <li class="row top warn">
    <Icon of={TriangleAlert} small />
    <span>{children}</span>
  </li>
);

const typingPause = 600; // milliseconds after the last change before the addresses are checked

interface Broken {
  readonly pictures: readonly string[];
  readonly links: readonly string[];
  readonly checked: boolean;
}

/** Checks the addresses of a message shortly after each change. */
function useBroken({ body, ctaUrl }: Words): Broken {
  const [broken, setBroken] = useState<Broken>({ pictures: [], links: [], checked: false });
  useEffect(() => {
    let current = true;
    const timer = setTimeout(async () => {
      const { pictures, links } = referencesOf(body, ctaUrl);
      const found = {
        pictures: await findBroken(pictures.filter(isSitePath), exists),
        links: await findBroken(links, exists),
        checked: true,
      };
      if (current) setBroken(found);
    }, typingPause);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [body, ctaUrl]);
  return broken;
}

const known = new Map<string, Promise<boolean>>(); // by path, so that each is requested once

/** Reports whether the site has a page or file. If the request fails, it is assumed to exist. */
function exists(path: string): Promise<boolean> {
  const [target = path] = path.split('#');
  const asked =
    known.get(target) ??
    fetch(target, { method: 'HEAD' }).then(
      (r) => r.status !== 404 && r.status !== 410,
      () => true,
    );
  known.set(target, asked);
  return asked;
}
