import type { Page } from '@playwright/test';

import { fleet } from '../harness/api.ts';
import { Delegate, registerAll, replicas } from '../harness/delegate.ts';
import { Delegates, read } from '../harness/pages.ts';
import { expect, test } from '../harness/test.ts';

/** What the browser tells assistive technology about a button; it knows the state of a popover without an attribute. */
async function expanded(page: Page, name: string): Promise<unknown> {
  const session = await page.context().newCDPSession(page);
  const { root } = await session.send('DOM.getDocument');
  const { nodes } = await session.send('Accessibility.queryAXTree', {
    nodeId: root.nodeId,
    accessibleName: name,
    role: 'button',
  });
  await session.detach();
  return nodes[0]?.properties?.find((property) => property.name === 'expanded')?.value.value;
}

test.describe('Order', () => {
  test('is connected, partly connected, not connected, then by name', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page('', 'size=25'));
    const names = await delegates.names();
    const { delegates: entries } = await fleet(shown.account);
    expect(names).toEqual(entries.map(({ name }) => name));
    const partial = names.indexOf('core-near');
    expect(names.slice(0, partial)).toEqual(names.slice(0, partial).toSorted());
    expect(names.slice(partial)).toEqual(['core-near', 'core-lost']);
    await expect(delegates.list.getByRole('columnheader', { name: 'Connectivity' })).not.toHaveAttribute('aria-sort');
  });

  for (const [head, word] of Object.entries({
    Delegate: 'name',
    Connectivity: 'connectivity',
    Version: 'version',
    'Instance status': 'expiry',
    'Last heartbeat': 'lastHeartbeat',
    'Auto-upgrade': 'autoUpgrade',
  })) {
    test(`${head}: a press sorts up, the second down, the third not at all`, async ({ page, shown }) => {
      const delegates = await new Delegates(page).open(shown.account.page('', 'size=25'));
      const column = delegates.list.getByRole('columnheader', { name: head });
      const usual = await delegates.names();
      await column.getByRole('link').click();
      await expect(column).toHaveAttribute('aria-sort', 'ascending');
      await expect(page).toHaveURL(new RegExp(`sort=${word}(&|$)`));
      const up = await delegates.names();
      await expect(delegates.list.locator('th[aria-sort]')).toHaveCount(1);

      await column.getByRole('link').click();
      await expect(column).toHaveAttribute('aria-sort', 'descending');
      await expect(page).toHaveURL(new RegExp(`sort=-${word}(&|$)`));
      const down = await delegates.names();
      expect(down).not.toEqual(up);
      expect(down.toSorted()).toEqual(up.toSorted());
      if (word === 'name') expect([up, down]).toEqual([up.toSorted(), up.toSorted().reverse()]);

      await column.getByRole('link').click();
      await expect(column).not.toHaveAttribute('aria-sort');
      await expect.poll(() => delegates.names()).toEqual(usual);
    });
  }
});

test.describe('Pages', () => {
  test('hold ten groups and lead to the next and back', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page());
    const all = (await fleet(shown.account)).delegates.map(({ name }) => name);
    const pager = page.getByRole('navigation', { name: 'Pages of groups' });
    await expect(pager).toContainText(`1–10 of ${all.length}`);
    await expect.poll(() => delegates.names()).toEqual(all.slice(0, 10));

    await pager.getByRole('link', { name: 'Next' }).click();
    await expect(page).toHaveURL(/page=2/);
    await expect(pager).toContainText(`11–${all.length} of ${all.length}`);
    await expect.poll(() => delegates.names()).toEqual(all.slice(10));
    await expect(pager.getByRole('link', { name: 'Next' })).toHaveCount(0);

    await pager.getByRole('link', { name: 'Previous' }).click();
    await expect(pager).toContainText(`1–10 of ${all.length}`);
  });

  test('can be larger, which begins at the first one again', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page('', 'page=2'));
    const pager = page.getByRole('navigation', { name: 'Pages of groups' });
    await pager.getByRole('link', { name: 'Rows per page: 25' }).click();
    await expect(page).toHaveURL(/size=25/);
    await expect(page).not.toHaveURL(/page=2/);
    const { counts } = await fleet(shown.account);
    await expect.poll(async () => (await delegates.names()).length).toBe(counts.groups);
    await expect(pager.getByRole('link', { name: 'Rows per page: 25' })).toHaveAttribute('aria-current', 'true');
  });

  test('beyond the last one show the last one', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page('', 'page=99'));
    const all = (await fleet(shown.account)).delegates.map(({ name }) => name);
    await expect.poll(() => delegates.names()).toEqual(all.slice(10));
  });
});

test.describe('Search', () => {
  for (const [where, text, found] of [
    ['name', 'CORE-HE', 'core-helm'],
    ['identifier', '_core_runner', 'core-runner'],
    ['tag', 'blue', 'core-helm'],
    ['implicit tag', 'odd_name', 'Odd_Name'],
    ['host name', 'dlite-build-01', 'core-vm'],
  ] as const) {
    test(`finds by ${where}`, async ({ page, shown }) => {
      const delegates = await new Delegates(page).open(shown.account.page('', 'page=2'));
      await delegates.search.fill(text);
      await expect.poll(() => delegates.names()).toEqual([found]);
      await expect(page).toHaveURL(new RegExp(`search=${text}`, 'i'));
      await expect(page).not.toHaveURL(/page=2/);
      await expect(delegates.search).toBeFocused();
    });
  }

  test('that is emptied shows everything again', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page('', 'search=mixed'));
    await expect(delegates.search).toHaveValue('mixed');
    await delegates.search.fill('');
    await expect(page).toHaveURL(shown.account.page());
    await expect.poll(async () => (await delegates.names()).length).toBe(10);
  });
});

test.describe('Expansion', () => {
  test('is part of the address', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page());
    const arrow = (name: string) => delegates.group(name).getByRole('button', { name: `Instances of ${name}` });
    await expect(arrow('core-helm')).toHaveAttribute('aria-expanded', 'false');
    await arrow('core-helm').click();
    await expect(arrow('core-helm')).toHaveAttribute('aria-expanded', 'true');
    await expect(delegates.instances('core-helm').getByRole('rowheader')).toHaveCount(2);
    await arrow('core-old').focus();
    await page.keyboard.press('Space');
    await expect(delegates.instances('core-old')).toBeVisible();
    await expect(arrow('core-old')).toBeFocused();
    await expect(page).toHaveURL(/open=.+&open=/);

    // The address alone brings the same view.
    await delegates.open(page.url());
    await expect(delegates.instances('core-helm')).toBeVisible();
    await expect(delegates.instances('core-old')).toBeVisible();

    await arrow('core-helm').click();
    await expect(delegates.instances('core-helm')).toHaveCount(0);
    await expect(delegates.instances('core-old')).toBeVisible();
  });

  test('shows a hundred instances and leads to the rest', async ({ page, account, versions }) => {
    await registerAll(account, replicas(103, { name: 'large', version: versions.latest }));
    const delegates = await new Delegates(page).open(account.page());
    await delegates.group('large').getByRole('button', { name: 'Instances of large' }).click();
    await expect(delegates.instances('large').getByRole('rowheader')).toHaveCount(100);
    await page.getByRole('link', { name: 'and 3 more instances of large' }).click();
    await expect(page).toHaveURL(new RegExp(account.groupPage('_large').replace('$', '\\$')));
    const pager = page.getByRole('navigation', { name: 'Pages of instances' });
    await expect(pager).toContainText('1–10 of 103');
    await pager.getByRole('link', { name: 'Rows per page: 100' }).click();
    await expect.poll(async () => (await read(page)).instances).toBe(100);
    await pager.getByRole('link', { name: 'Next' }).click();
    await expect.poll(async () => (await read(page)).instances).toBe(3);
  });
});

test.describe('Row menu', () => {
  test('works by keyboard alone', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page());
    const button = delegates.group('core-helm').getByRole('button', { name: 'Actions for core-helm' });
    const item = (name: string) => page.getByRole('menuitem', { name }).filter({ visible: true });
    await expect(button).toHaveAttribute('aria-haspopup', 'menu');

    for (const key of ['Enter', 'Space', 'ArrowDown']) {
      await button.focus();
      await page.keyboard.press(key);
      await expect(item('Details'), key).toBeFocused();
      await page.keyboard.press('Escape');
      await expect(item('Details')).toHaveCount(0);
      await expect(button, key).toBeFocused();
    }

    // Whoever is quicker than the focus, which follows the opening by a task, does not close it again.
    await button.evaluate((opener: HTMLElement) => {
      opener.click();
      opener.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, cancelable: true }));
    });
    await expect(item('Details')).toBeFocused();
    await page.keyboard.press('Escape');

    await page.keyboard.press('ArrowUp');
    await expect(item('Delete…')).toBeFocused();
    await page.keyboard.press('ArrowUp');
    await expect(item('Copy identifier')).toBeFocused();
    await page.keyboard.press('End');
    await expect(item('Delete…')).toBeFocused();
    await page.keyboard.press('ArrowDown');
    await expect(item('Details')).toBeFocused();
    await page.keyboard.press('End');
    await expect(item('Delete…')).toBeFocused();
    await page.keyboard.press('Home');
    await expect(item('Details')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: 'core-helm' })).toBeVisible();
  });

  test('tells whether it is open', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page());
    const button = delegates.group('core-helm').getByRole('button', { name: 'Actions for core-helm' });
    await button.click();
    await expect(page.getByRole('menuitem', { name: 'Details' }).filter({ visible: true })).toBeVisible();
    expect(await expanded(page, 'Actions for core-helm')).toBe(true);
    await page.keyboard.press('Escape');
    expect(await expanded(page, 'Actions for core-helm')).toBe(false);
  });
});

test.describe('Details', () => {
  test('Back returns to the same filter, page and expansion', async ({ page, shown }) => {
    const view = shown.account.page('', 'search=core&sort=-name');
    const delegates = await new Delegates(page).open(view);
    await delegates.group('core-old').getByRole('button', { name: 'Instances of core-old' }).click();
    await expect(delegates.instances('core-old')).toBeVisible();
    const address = page.url();
    await delegates.list.getByRole('link', { name: 'core-helm' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'core-helm' })).toBeVisible();
    await page.goBack();
    await expect(page).toHaveURL(address);
    await expect(delegates.instances('core-old')).toBeVisible();
    await expect(delegates.search).toHaveValue('core');
  });

  test('a click on the row leads to them', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.page());
    await delegates.group('core-helm').locator('td', { has: page.locator('time') }).click();
    await expect(page).toHaveURL(shown.account.groupPage('_core_helm'));
  });

  test('the group page names everything that is known', async ({ page, shown }) => {
    await new Delegates(page).open(shown.account.groupPage('_core_old'));
    await expect(page.getByRole('heading', { level: 1, name: 'core-old' })).toBeVisible();
    await expect(page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Delegates' })).toHaveAttribute(
      'href',
      shown.account.page(),
    );
    const facts = page.getByRole('region', { name: 'Overview' });
    const fact = (term: string) => facts.getByRole('term').filter({ hasText: term }).locator('xpath=following-sibling::dd');
    await expect(fact('Group name')).toHaveText('core-old');
    await expect(fact('Identifier')).toContainText('_core_old');
    await expect(fact('Type')).toHaveText('Kubernetes');
    await expect(fact('Scope')).toHaveText(`${shown.account.name} (account)`);
    await expect(fact('Token')).toHaveText('edge');
    await expect(fact('Redundancy')).toContainText('2 of 2 connected, tolerates the loss of 1');
    await expect(fact('Description')).toHaveText('An old cluster');
    await expect(fact('Auto-upgrade')).toContainText('Waiting for the first upgrader call');
    await expect(fact('Versions')).toContainText(`${shown.versions.expired} on 2 instances`);
    await expect(fact('Tags')).toContainText('eu');
    await expect(facts).toContainText('Expired is a reminder');
  });

  test('the cards of a group filter its instances', async ({ page, shown }) => {
    const delegates = await new Delegates(page).open(shown.account.groupPage('_mixed'));
    await expect.poll(async () => (await read(page)).instances).toBe(2);
    await delegates.card('Expired').click();
    await expect(page).toHaveURL(`${shown.account.groupPage('_mixed')}?health=expired`);
    await expect.poll(async () => (await read(page)).instances).toBe(1);
    await delegates.card('Expired').click();
    await expect.poll(async () => (await read(page)).instances).toBe(2);
  });

  test('a renamed delegate is a group of its own', async ({ page, account }) => {
    const delegate = await new Delegate(account, { name: 'before', family: 'go', host: 'm1' }).register();
    await new Delegate(account, { ...delegate.profile, name: 'after' }).register();
    const delegates = await new Delegates(page).open(account.page());
    await expect.poll(() => delegates.names()).toEqual(['after', 'before']);
  });
});
