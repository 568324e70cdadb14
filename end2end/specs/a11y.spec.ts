import type { Page } from '@playwright/test';

import { settled, violations } from '../harness/axe.ts';
import { Delegates } from '../harness/pages.ts';
import type { Showcase } from '../harness/showcase.ts';
import { expect, test } from '../harness/test.ts';

// The longest file by far: both workers share it.
test.describe.configure({ mode: 'parallel' });

/** Every kind of page, by its path in the showcase. */
const PAGES: Record<string, (shown: Showcase) => string> = {
  'overview of an account': ({ account }) => account.page(),
  'overview with scopes below': ({ account }) => account.page('', 'all=true&size=50'),
  'overview of an organization': ({ account }) => account.page('payments'),
  'overview of a project': ({ account }) => account.page('payments/checkout'),
  'filtered by a card': ({ account }) => account.page('', 'health=expired&search=core'),
  'filtered by a figure': ({ account }) => account.page('', 'health=unreachable'),
  'sorted, second page': ({ account }) => account.page('', 'sort=-name&page=2'),
  'no match': ({ account }) => account.page('', 'search=nothing-like-that'),
  'no delegates': ({ account }) => account.page('media/empty'),
  'delegates only below': ({ account }) => account.page('media'),
  'page of a group': ({ account }) => account.groupPage('_core_old'),
  'page of a group that runs two versions': ({ account }) => account.groupPage('_mixed'),
  'page of a lost group': ({ account }) => account.groupPage('_core_lost'),
  'unknown path': () => '/nothing/here',
  'query that cannot be': ({ account }) => account.page('', 'health=rosy'),
  accounts: () => '/',
};
const WIDTHS = [390, 834, 1440];

/** Checks the page as it stands in both themes at all widths. */
async function everywhere(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      expect.soft(await violations(page), `${colorScheme} at ${width}`).toEqual([]);
    }
  }
}

test.describe('No breach of WCAG 2.2 AA', () => {
  for (const [name, path] of Object.entries(PAGES)) {
    test(`on: ${name}`, async ({ page, shown, account, guard }) => {
      // The start page lists accounts only when there are several.
      expect(account.name).not.toBe(shown.account.name);
      guard.expect(/status of 4\d\d/);
      await new Delegates(page).open(path(shown));
      await everywhere(page);
    });
  }

  test('while scripts are missing', async ({ page, shown, guard }) => {
    guard.expect(/ERR_FAILED|Failed to fetch dynamically imported module/);
    await page.route('**/pkg/*.{js,wasm}', (route) => route.abort());
    for (const path of [shown.account.page(), shown.account.page('', 'health=expired')]) {
      await page.goto(path);
      await everywhere(page);
    }
  });

  const OPENED: Record<string, (page: Page, delegates: Delegates) => Promise<void>> = {
    'instances of two groups': async (_, delegates) => {
      for (const name of ['core-helm', 'core-old']) {
        await delegates.group(name).getByRole('button', { name: `Instances of ${name}` }).click();
        await expect(delegates.instances(name)).toBeVisible();
      }
    },
    'the menu of a row': (_, delegates) => delegates.group('core-helm').getByRole('button', { name: /^Actions/ }).click(),
    'the tags of a row': (_, delegates) => delegates.group('core-helm').getByRole('button', { name: /tags/ }).click(),
    'an explanation of a status': (_, delegates) =>
      delegates.group('core-helm').getByRole('button', { name: /^Supported/ }).click(),
    'the help of a card': (page) => page.getByRole('button', { name: 'About Expired' }).click(),
    'the scope switcher': (page) => page.getByRole('button', { name: /^Scope/ }).click(),
    'the display menu': (page) => page.getByRole('button', { name: 'Display' }).click(),
    'paused updates': (page) => page.getByRole('banner').getByRole('button', { name: 'Pause' }).click(),
  };
  for (const [name, open] of Object.entries(OPENED)) {
    test(`with open: ${name}`, async ({ page, shown }) => {
      const delegates = await new Delegates(page).open(shown.account.page());
      await open(page, delegates);
      await everywhere(page);
    });
  }
});

test.describe('No page scrolls sideways', () => {
  for (const [name, path] of Object.entries(PAGES)) {
    test(`at 320 px: ${name}`, async ({ page, shown, guard }) => {
      guard.expect(/status of 4\d\d/);
      await page.setViewportSize({ width: 320, height: 800 });
      await new Delegates(page).open(path(shown));
      const [scroll, client] = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return [scrollWidth, clientWidth];
      });
      expect(scroll).toBeLessThanOrEqual(client);
    });
  }

  test('at 320 px, and the table inside can be scrolled by keyboard', async ({ page, shown }) => {
    await page.setViewportSize({ width: 320, height: 800 });
    await new Delegates(page).open(shown.account.page());
    const region = page.getByRole('region', { name: /^Delegates, / });
    await region.focus();
    await expect(region).toBeFocused();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => region.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
  });
});

test.describe('By keyboard alone', () => {
  test('every control is reached in order, with a visible focus that nothing covers', async ({ page, shown }) => {
    await new Delegates(page).open(shown.account.page('', 'size=10'));
    const met: string[] = [];
    for (let steps = 0; steps < 200; steps += 1) {
      await page.keyboard.press('Tab');
      const focus = await focused(page);
      if (focus === undefined) break;
      met.push(focus.name);
      expect.soft(focus.ring, `a visible focus on ${focus.name}`).toBe(true);
      expect.soft(focus.covered, `something covers ${focus.name}`).toBe(false);
    }
    const order = ['Skip to content', 'Rollcall', 'Scope', 'Pause', 'Display', 'Expired', 'About Expired', 'Name, tag or host', 'Delegates,'];
    const places = order.map((name) => met.findIndex((other) => other.startsWith(name)));
    expect(places, met.join('\n')).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(met.some((name) => name.startsWith('Actions for core-helm'))).toBe(true);
    expect(met.at(-1)).toBe('Next');
  });

  test('the skip link leads past the header', async ({ page, shown }) => {
    await new Delegates(page).open(shown.account.page());
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('main')).toBeFocused();
    await page.keyboard.press('Tab');
    expect((await focused(page))?.inMain).toBe(true);
  });

  test('a filter is set and cleared, a row opened, a group visited', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page());
    await delegates.card('Expired').focus();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/health=expired/);
    await expect(delegates.card('Expired')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page).not.toHaveURL(/health/);

    await delegates.search.focus();
    await page.keyboard.type('core-o');
    await expect.poll(() => delegates.names()).toEqual(['core-old']);
    const arrow = page.getByRole('button', { name: 'Instances of core-old' });
    await arrow.focus();
    await page.keyboard.press('Enter');
    await expect(delegates.instances('core-old')).toBeVisible();
    await expect(arrow).toBeFocused();
    await delegates.list.getByRole('link', { name: 'core-old' }).focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: 'core-old' })).toBeVisible();
  });

  test('changes of the list are announced', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page());
    await delegates.search.fill('core-o');
    await expect(page.getByRole('status').filter({ hasText: /^2 of \d+ instances in 1 group$/ })).toBeVisible();
  });
});

interface Focus {
  name: string;
  ring: boolean;
  covered: boolean;
  inMain: boolean;
}

/** What has the focus; none when it has left the page. */
async function focused(page: Page): Promise<Focus | undefined> {
  await settled(page);
  return page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return undefined;
    const { left, top, width, height } = element.getBoundingClientRect();
    const labelled = document.getElementById(element.getAttribute('aria-labelledby') ?? '');
    const name = element.getAttribute('aria-label') ?? labelled?.textContent ?? element.getAttribute('placeholder') ?? element.textContent;
    const around = element.closest('label') ?? element;
    const outlined = [element, around].some((candidate) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(candidate);
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
    });
    const front = document.elementFromPoint(left + Math.min(width / 2, 40), top + Math.min(height / 2, 12));
    return {
      name: (name ?? '').trim(),
      ring: outlined,
      covered: !front || !(element.contains(front) || front.contains(element) || around.contains(front)),
      inMain: element.closest('main') !== null,
    };
  });
}
