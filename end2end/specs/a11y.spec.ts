import type { Page } from '@playwright/test';

import type { Account } from '../harness/account.ts';
import { fleet } from '../harness/api.ts';
import { settled, violations } from '../harness/axe.ts';
import { overflow } from '../harness/keyboard.ts';
import { Delegates } from '../harness/pages.ts';
import type { Showcase } from '../harness/showcase.ts';
import { expect, test } from '../harness/test.ts';

// The longest file by far: both workers share it.
test.describe.configure({ mode: 'parallel' });

/** Every kind of page, by its path in the showcase. */
const PAGES: Record<string, (shown: Showcase) => string | Promise<string>> = {
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
  'usable from here': ({ account }) => account.page('payments/checkout', 'usable=true'),
  'to delete a connected delegate': ({ account }) => `${account.groupPage('_core_helm')}/delete`,
  'to delete a delegate': ({ account }) => `${account.groupPage('_core_lost')}/delete`,
  'to delete an instance': async ({ account }) => {
    const { delegates } = await fleet(account, '', 'search=core-lost');
    return `${account.groupPage('_core_lost')}/instances/${delegates[0]?.delegateReplicas[0]?.uuid}/delete`;
  },
  'to delete a selection': async ({ account }) => {
    const ids = await found(account, account.page('', 'size=50'), /name="id" value="([^"]+)"/g);
    return `${account.path('delete')}?${ids.map((id) => `id=${id}`).join('&')}`;
  },
  'to delete nothing': ({ account }) => account.path('delete'),
  tokens: ({ account }) => account.path('tokens'),
  'revoked tokens': ({ account }) => `${account.path('tokens')}?status=revoked`,
  'to revoke a token': async ({ account }) => {
    const [id] = await found(account, account.path('tokens'), /\/tokens\/([^/"]+)\/revoke/g);
    return account.path(`tokens/${id}/revoke`);
  },
  'audit log': ({ account }) => `${account.path('audit')}?all=true`,
  'audit log without lines': ({ account }) => `${account.path('audit')}?user=nobody`,
  'audit log of a day that is none': ({ account }) => `${account.path('audit')}?from=yesterday`,
  users: ({ account }) => account.path('users'),
  'users of a project': ({ account }) => account.path('users', 'payments/checkout'),
  roles: ({ account }) => account.path('roles'),
  settings: ({ account }) => account.path('settings'),
  'settings of a project': ({ account }) => account.path('settings', 'payments/checkout'),
  embeds: ({ account }) => account.path('embeds'),
  'own account': () => '/me',
  'new delegate': ({ account }) => account.path('new'),
  'new delegate on Fargate': ({ account }) => `${account.path('new', 'payments')}?platform=fargate&services=1200`,
  'new delegate that runs already': ({ account }) => `${account.path('new')}?platform=docker&name=core-helm`,
  'new delegate with mistakes': ({ account }) => `${account.path('new')}?name=Edge&replicas=0&proxy=x`,
  'list of shortcuts': () => '/keys',
};

/** What a pattern finds in the source of a page. */
async function found({ server }: Account, path: string, pattern: RegExp): Promise<string[]> {
  const answer = await fetch(server.url + path, { headers: server.headers });
  const matches = [...(await answer.text()).matchAll(pattern)].map(([, match]) => match ?? '');
  expect(matches, path).not.toEqual([]);
  return matches;
}
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
      await new Delegates(page).open(await path(shown));
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
    'an explanation of a status': async (page, delegates) => {
      await delegates.group('core-helm').getByRole('link', { name: /^Supported.*\. Explain$/ }).click();
      await expect(page.getByRole('dialog', { name: 'Status of core-helm' })).toBeVisible();
    },
    'an explanation with commands': async (page, delegates) => {
      await delegates.group('core-near').getByRole('link', { name: /^Near expiry.*\. Explain$/ }).click();
      await expect(page.getByRole('dialog', { name: 'Status of core-near' })).toContainText('How to update it');
    },
    'the help of a card': (page) => page.getByRole('button', { name: 'About Expired' }).click(),
    'the scope switcher': (page) => page.getByRole('button', { name: /^Scope/ }).click(),
    'the list of shortcuts': async (page) => {
      await page.keyboard.press('?');
      await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
    },
    'the display menu': (page) => page.getByRole('button', { name: 'Display' }).click(),
    'what can be managed': (page) => page.getByRole('button', { name: 'Manage', exact: true }).click(),
    'the menu of the person': (page) => page.getByRole('button', { name: /^Account of/ }).click(),
    'a selection': async (page) => {
      await page.getByRole('checkbox', { name: 'Select core-helm' }).check();
      await expect(page.getByText('1 selected')).toBeVisible();
    },
    'a confirmation': async (page, delegates) => {
      await delegates.group('core-lost').getByRole('button', { name: /^Actions/ }).click();
      await page.getByRole('menuitem', { name: 'Delete…' }).filter({ visible: true }).click();
      await expect(page.getByRole('dialog', { name: 'Delete delegate core-lost?' })).toBeVisible();
    },
    'paused updates': (page) => page.getByRole('banner').getByRole('button', { name: 'Pause' }).click(),
  };
  for (const [name, open] of Object.entries(OPENED)) {
    test(`with open: ${name}`, async ({ page, shown }) => {
      const delegates = await new Delegates(page).open(shown.account.page('', 'size=25'));
      await open(page, delegates);
      await everywhere(page);
    });
  }
});

test.describe('No breach of WCAG 2.2 AA in a form', () => {
  for (const [name, word] of [
    ['tokens', 'New token'],
    ['users', 'Give a role'],
    ['roles', 'New role'],
    ['embeds', 'New embed key'],
  ] as const) {
    test(`of ${name}`, async ({ page, shown }) => {
      await new Delegates(page).open(shown.account.path(name));
      await page.locator('summary').filter({ hasText: word }).click();
      await everywhere(page);
      await page.setViewportSize({ width: 320, height: 800 });
      expect(await overflow(page)).toBeLessThanOrEqual(0);
    });
  }
});

test.describe('No page scrolls sideways', () => {
  for (const [name, path] of Object.entries(PAGES)) {
    test(`at 320 px and at 200 %: ${name}`, async ({ page, shown, guard }) => {
      guard.expect(/status of 4\d\d/);
      await page.setViewportSize({ width: 320, height: 800 });
      await new Delegates(page).open(await path(shown));
      expect(await overflow(page)).toBeLessThanOrEqual(0);
      // 1440 pixels at twice their size.
      await page.setViewportSize({ width: 720, height: 500 });
      expect(await overflow(page)).toBeLessThanOrEqual(0);
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
    const order = [
      'Skip to content',
      'Rollcall',
      'Scope',
      'Delegates',
      'Tokens',
      'Audit log',
      'Manage',
      'Pause',
      'Display',
      'Account of',
      'Expired',
      'About Expired',
      'Name, tag, host, version',
      'Delegates,',
      'Select all',
      'Select core-',
    ];
    const places = order.map((name) => met.findIndex((other) => other.startsWith(name)));
    expect(places, met.join('\n')).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(met.some((name) => name.startsWith('Actions for core-helm'))).toBe(true);
    expect(met.slice(met.indexOf('Next')).length, 'after the list comes what is related').toBeGreaterThan(1);
  });

  for (const [name, word] of [
    ['tokens', 'New token'],
    ['users', 'Give a role'],
    ['roles', 'New role'],
    ['settings', undefined],
    ['embeds', 'New embed key'],
    ['audit', undefined],
  ] as const) {
    test(`every control of ${name} has a visible focus that nothing covers`, async ({ page, shown }) => {
      await new Delegates(page).open(shown.account.path(name));
      // Opened without a press, so that the focus begins at the top.
      if (word) await page.locator('details').filter({ hasText: word }).first().evaluate((fold) => (fold as HTMLDetailsElement).open = true);
      const met: string[] = [];
      for (let steps = 0; steps < 300; steps += 1) {
        await page.keyboard.press('Tab');
        const focus = await focused(page);
        if (focus === undefined) break;
        met.push(focus.name);
        expect.soft(focus.ring, `a visible focus on ${focus.name}`).toBe(true);
        expect.soft(focus.covered, `something covers ${focus.name}`).toBe(false);
      }
      const controls = page.getByRole('main').locator('button, input:not([type=hidden]), select, textarea, summary').filter({ visible: true });
      expect(met.length).toBeGreaterThanOrEqual((await controls.count()) - (await controls.and(page.locator(':disabled')).count()));
    });
  }

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
    await delegates.list.getByRole('link', { name: 'core-old', exact: true }).focus();
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
    // The button inside a date is the browser's own, with its own ring.
    const inside = element.matches('input[type=date]:not(:focus-visible)');
    const front = document.elementFromPoint(left + Math.min(width / 2, 40), top + Math.min(height / 2, 12));
    return {
      name: (name ?? '').trim(),
      ring: outlined || inside,
      covered: !front || !(element.contains(front) || front.contains(element) || around.contains(front)),
      inMain: element.closest('main') !== null,
    };
  });
}
