import type { Locator, Page } from '@playwright/test';

/** The four cards, by their words and by their keys in `counts`. */
export const CARDS = {
  Expired: 'expired',
  'Near expiry': 'nearExpiry',
  Unsupported: 'unsupported',
  'Auto-upgrade off': 'autoUpgradeOff',
} as const;

/** The figures beside the cards. */
export const FIGURES = { unreachable: 'unreachable', 'version unknown': 'unknown' } as const;

export type CardName = keyof typeof CARDS;

/** A Delegates page or the page of one group, by what people see of it. */
export class Delegates {
  constructor(readonly page: Page) {}

  /** Opens a path and waits until its scripts are awake. */
  async open(path: string): Promise<this> {
    await this.page.goto(path);
    await this.awake();
    return this;
  }

  /** Scripts have taken over links and forms. */
  async awake(): Promise<void> {
    await this.page.locator('html[data-on]').waitFor({ state: 'attached' });
  }

  card(name: CardName): Locator {
    const cards = this.page.getByRole('region', { name: 'Instance health' });
    return cards.getByRole('link', { name: new RegExp(`^${name}`) });
  }

  figure(name: keyof typeof FIGURES): Locator {
    return this.page.getByRole('link', { name: new RegExp(`\\d ${name}$`) });
  }

  get search(): Locator {
    return this.page.getByRole('searchbox', { name: 'Search delegates' });
  }

  /** The table of groups. */
  get list(): Locator {
    return this.page.getByRole('table', { name: /^Delegates, / });
  }

  /** The row of one group. */
  group(name: string): Locator {
    const cell = this.page.getByRole('rowheader', { name: new RegExp(`(^|\\s)${name}(\\s|$)`) });
    return this.list.getByRole('row').filter({ has: cell }).filter({ hasNot: this.page.getByRole('table') });
  }

  /** The table of the instances of one group. */
  instances(name: string): Locator {
    return this.page.getByRole('table', { name: `Instances of ${name}` });
  }

  /** The names of the groups on this page, in order. */
  async names(): Promise<string[]> {
    // Hosts of open rows are links as well.
    const rows = this.list.locator('tr.g').getByRole('rowheader').locator('a.nm');
    return (await rows.allTextContents()).map((text) => text.trim());
  }
}

/** Everything that one page says at one instant, read in one go. */
export interface Reading {
  /** The instant of its figures, in milliseconds. */
  asOf: number;
  /** Cards and figures by their keys in `counts`; a figure that is not shown is absent. */
  counts: Record<string, number>;
  /** Rows of groups in the list. */
  groups: number;
  /** Rows of instances in the list. */
  instances: number;
  /** Things on all pages, as the pager says; none without a list. */
  paged: number | undefined;
}

/** Reads a page; nothing can change in between, because it is one script. */
export function read(page: Page): Promise<Reading> {
  return page.locator('main').evaluate((main) => {
    const number = (text: string | null | undefined) => Number(/[\d,]+/.exec(text ?? '')?.[0].replaceAll(',', ''));
    const counts: Record<string, number> = {};
    for (const link of main.querySelectorAll<HTMLElement>('a[data-card]')) {
      const figure = link.querySelector('.big') ?? link;
      counts[link.dataset.card ?? ''] = number(figure.textContent);
    }
    const pager = main.querySelector('nav[aria-label^="Pages of"]')?.textContent;
    return {
      asOf: Number(main.querySelector<HTMLElement>('[data-as-of]')?.dataset.asOf),
      counts,
      groups: main.querySelectorAll('table.list > tbody > tr.g').length,
      instances: main.querySelectorAll('tr.inst tbody tr').length,
      paged: pager ? number(pager.split(' of ').at(-1)) : undefined,
    };
  });
}
