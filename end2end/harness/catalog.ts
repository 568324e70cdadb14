import { program, run } from './programs.ts';

interface Entry {
  version: string;
  line: 'classic' | 'legacy' | 'runner';
  variant: string | null;
  released: string;
  eos: string | null;
  eol: string | null;
  hotfix: boolean;
}

interface Document {
  latest: { classic: string; runner: string };
  versions: Entry[];
}

/** A version of each state, on any day (`product 5.7`). */
export interface Versions {
  expired: string;
  near: string;
  unsupported: string;
  latest: string;
  runner: string;
  /** Legacy line, past its end. */
  legacy: string;
  /** End of support of `near`; at most 28 days away. */
  nearDate: string;
  /** The catalog itself. */
  document: string;
}

const DAY = 86_400_000;
const WINDOW = 28;

/** The catalog that the drill makes for today, with one version of each state. */
export async function catalog(): Promise<Versions> {
  const today = new Date().toISOString().slice(0, 10);
  const document = await run(program('drill'), ['catalog', '--today', today]);
  const { latest, versions } = JSON.parse(document) as Document;
  const days = (date: string) => Math.round((Date.parse(date) - Date.parse(today)) / DAY);
  const dated = versions.flatMap((entry) => (entry.eos ? [{ ...entry, eos: entry.eos, left: days(entry.eos) }] : []));
  const classic = dated.filter((entry) => entry.line === 'classic' && !entry.variant && !entry.hotfix);
  const pick = (what: string, fits: (entry: (typeof classic)[number]) => boolean) => {
    const found = classic.findLast(fits);
    if (!found) throw new Error(`the catalog has no version that is ${what}`);
    return found;
  };
  // A day is left at either end of the window, so that a test may run across midnight.
  const near = pick('near its end', ({ left }) => left > 0 && left < WINDOW);
  return {
    expired: pick('expired', ({ left }) => left < 0).version,
    near: near.version,
    nearDate: near.eos,
    unsupported: pick('behind', ({ left, version }) => left > WINDOW + 1 && version !== latest.classic).version,
    latest: latest.classic,
    runner: latest.runner,
    legacy: dated.findLast((entry) => entry.line === 'legacy')?.version ?? '',
    document,
  };
}
