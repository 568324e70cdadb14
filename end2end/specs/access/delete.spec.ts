import type { Page } from '@playwright/test';

import { allowDeleting, audited, setting } from '../../harness/access.ts';
import { fleet } from '../../harness/api.ts';
import { Delegate, registerAll, replicas } from '../../harness/delegate.ts';
import type { Keyboard } from '../../harness/keyboard.ts';
import { Delegates } from '../../harness/pages.ts';
import { ADMIN } from '../../harness/people.ts';
import { expect, test } from '../../harness/test.ts';

const CONFIRM = /^Type .+ to confirm$/;
const actions = (page: Page, name: string) =>
  new Delegates(page).group(name).getByRole('button', { name: `Actions for ${name}` });
const notes = (page: Page) => page.getByRole('list', { name: 'Notes' });

test.beforeEach(({ guard }) => guard.expect(/status of 4\d\d/));

test('A delegate is deleted by typing its name, and brought back', async ({ page, keys, scripts, account, versions }) => {
  await registerAll(account, [
    ...replicas(2, { name: 'edge', version: versions.latest }),
    { name: 'core', version: versions.expired },
  ]);
  const delegates = new Delegates(page);
  const title = page.getByRole('heading', { level: 1, name: 'Delete delegate edge?' });

  // Connected ones stay, and the page says why.
  await keys.open(account.page());
  await keys.item(actions(page, 'edge'), 'Delete…');
  await page.keyboard.press('Enter');
  await expect(title).toBeVisible();
  await expect(page.getByText(/^2 of 2 instances are connected, and the setting delegates\.delete_connected/)).toBeVisible();
  await expect(page.getByLabel(CONFIRM)).toHaveCount(0);
  await keys.sound();
  await keys.press(page.getByRole('link', { name: 'Back' }));
  await expect(title).toHaveCount(0);
  await expect(page).toHaveURL(account.page());

  await allowDeleting(account, '_edge');
  await keys.open(account.page());
  await keys.item(actions(page, 'edge'), 'Delete…');
  await page.keyboard.press('Enter');
  await expect(title).toBeVisible();
  if (scripts) {
    await expect(page.getByRole('dialog', { name: 'Delete delegate edge?' })).toBeVisible();
    await expect(page).toHaveURL(account.page());
    await expect(page.getByLabel(CONFIRM)).toBeFocused();
    // The list below is still there, and gets the focus back.
    await page.keyboard.press('Escape');
    await expect(title).toHaveCount(0);
    await expect(actions(page, 'edge')).toBeFocused();
    await keys.item(actions(page, 'edge'), 'Delete…');
    await page.keyboard.press('Enter');
    await expect(title).toBeVisible();
  } else {
    await expect(page).toHaveURL(`${account.groupPage('_edge')}/delete`);
  }
  await expect(page.getByText('It leaves the list at once, with 2 instances.')).toBeVisible();
  await expect(page.getByText(/^Only the list changes: this does not uninstall anything\./)).toBeVisible();
  await expect(page.getByText('You can undo this for 10 minutes.')).toBeVisible();
  await keys.sound();

  await keys.type(page.getByLabel(CONFIRM), 'edgy');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Type edge exactly as it is written.')).toBeVisible();
  await expect(page.getByLabel(CONFIRM)).toHaveValue('edgy');
  await expect(page.getByLabel(CONFIRM)).toHaveAttribute('aria-invalid', 'true');
  await keys.sound();
  expect((await fleet(account)).counts.groups).toBe(2);

  await keys.type(page.getByLabel(CONFIRM), 'edge');
  await keys.press(page.getByRole('button', { name: 'Delete delegate' }));
  await expect(notes(page)).toContainText(/Delegate edge deleted .* by admin@example\.test/);
  await expect(page).toHaveURL(account.page());
  await expect(delegates.group('edge')).toHaveCount(0);
  await expect(delegates.group('core')).toBeVisible();
  const { counts } = await fleet(account);
  expect(counts).toMatchObject({ groups: 1, instances: 1 });
  await keys.sound();

  await keys.awake();
  await keys.press(page.getByRole('button', { name: 'Undo: bring edge back' }));
  await expect(delegates.group('edge')).toContainText('2 of 2');
  await expect(page.getByRole('button', { name: 'Undo: bring edge back' })).toHaveCount(0);
  expect((await fleet(account)).counts).toMatchObject({ groups: 2, instances: 3 });

  const [deleted] = await audited(page, keys, account, 'delegate.delete');
  expect(deleted).toContain(`${ADMIN} delegate.delete edge`);
  const [undone] = await audited(page, keys, account, 'delegate.undo_delete');
  expect(undone).toContain('The deletion of edge was taken back');
});

test('One instance is deleted by typing its host name; the others stay', async ({ page, keys, account, versions }) => {
  const [first, second] = replicas(2, { name: 'edge', version: versions.latest });
  if (!first?.host || !second?.host) throw new Error('no hosts');
  await registerAll(account, [first, second]);
  await allowDeleting(account, '_edge');
  const delegates = new Delegates(page);
  await keys.open(account.page());
  await keys.press(delegates.group('edge').getByRole('button', { name: 'Instances of edge' }));
  await expect(delegates.instances('edge').getByRole('rowheader')).toHaveCount(2);
  await keys.press(page.getByRole('link', { name: `Delete instance ${first.host}` }));
  await expect(page.getByRole('heading', { level: 1, name: `Delete instance ${first.host}?` })).toBeVisible();
  await expect(page.getByText('It leaves the list at once. Other instances of edge stay.')).toBeVisible();
  await keys.sound();
  await keys.type(page.getByLabel(CONFIRM), 'edge');
  await page.keyboard.press('Enter');
  await expect(page.getByText(`Type ${first.host} exactly as it is written.`)).toBeVisible();
  await keys.type(page.getByLabel(CONFIRM), first.host);
  await page.keyboard.press('Enter');

  await expect(page).toHaveURL(account.groupPage('_edge'));
  await expect(delegates.instances('edge').getByRole('rowheader')).toHaveCount(1);
  await expect(delegates.instances('edge')).toContainText(second.host);
  await expect(notes(page)).toContainText(`Instance ${first.host} deleted`);
  await keys.awake();
  await keys.press(page.getByRole('button', { name: `Undo: bring ${first.host} back` }));
  await expect(delegates.group('edge')).toContainText('2 of 2');
  const [deleted] = await audited(page, keys, account, 'instance.delete');
  expect(deleted).toContain(`edge / ${first.host}`);
});

test('Several delegates are deleted by typing their number', async ({ page, keys, scripts, account, versions }) => {
  await registerAll(account, ['edge-a', 'edge-b', 'edge-c'].map((name) => ({ name, version: versions.latest })));
  await allowDeleting(account, '_edge_a');
  const names = new Delegates(page).list.getByRole('rowheader').getByRole('link');
  await keys.open(account.page());
  await keys.tick(page.getByRole('checkbox', { name: 'Select edge-a' }));
  await keys.tick(page.getByRole('checkbox', { name: 'Select edge-c' }));
  if (scripts) await expect(page.getByText('2 selected')).toBeVisible();
  await keys.press(page.getByRole('button', { name: 'Delete selected…' }));
  await expect(page.getByRole('heading', { level: 1, name: 'Delete 2 delegates?' })).toBeVisible();
  await expect(page.getByText(/^These leave the list at once, with 2 instances:/)).toContainText(/edge-a\s*edge-c/);
  await keys.sound();

  await keys.type(page.getByLabel(CONFIRM), '3');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Type 2, the number of delegates that would be deleted.')).toBeVisible();
  await expect(page.getByLabel(CONFIRM)).toHaveValue('3');
  await expect(page.getByRole('heading', { level: 1, name: 'Delete 2 delegates?' })).toBeVisible();
  await keys.sound();
  expect((await fleet(account)).counts.groups).toBe(3);

  await keys.type(page.getByLabel(CONFIRM), '2');
  await keys.press(page.getByRole('button', { name: 'Delete delegates' }));
  await expect(page).toHaveURL(account.page());
  await expect(names).toHaveText(['edge-b']);
  expect((await fleet(account)).delegates.map(({ name }) => name)).toEqual(['edge-b']);
  await keys.awake();
  await keys.press(page.getByRole('button', { name: 'Undo: bring edge-c back' }));
  await expect(names).toHaveText(['edge-b', 'edge-c']);
});

test('A deleted delegate that calls again is listed and marked', async ({ page, keys, account, versions }) => {
  const edge = await new Delegate(account, { name: 'edge', version: versions.latest }).register();
  await allowDeleting(account, '_edge');
  await remove(page, keys, account.groupPage('_edge'), 'edge');
  await expect(page).toHaveURL(account.page());
  await edge.beat();
  // Another node hears of it within two seconds.
  await expect(async () => {
    await keys.open(account.page());
    await expect(new Delegates(page).group('edge')).toContainText('Returned after delete', { timeout: 1_000 });
  }).toPass();
  await expect(new Delegates(page).group('edge')).toContainText('Connected');
  await keys.sound();
});

test('A deleted delegate that calls again can be turned away until somebody allows it', async ({ page, keys, account, versions }) => {
  const edge = await new Delegate(account, { name: 'edge', version: versions.latest }).register();
  await allowDeleting(account, '_edge');
  await setting(account, 'delegates.deleted_policy', 'refuse', `${account.groupPage('_edge')}/delete`, /turned away/);
  await remove(page, keys, account.groupPage('_edge'), 'edge');
  await expect(page).toHaveURL(account.page());
  await edge.refused();
  // Another node hears of it within two seconds.
  await expect(async () => {
    await keys.open(account.page());
    await expect(notes(page)).toContainText(/edge was deleted and keeps calling, last .*, with token edge\./, { timeout: 1_000 });
  }).toPass();
  await expect(new Delegates(page).group('edge')).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'Revoke token… edge' })).toBeVisible();
  await keys.sound();
  await keys.press(page.getByRole('button', { name: 'Allow edge' }));
  await expect(page.getByRole('button', { name: 'Allow edge' })).toHaveCount(0);
  await edge.register();
  await keys.open(account.page());
  await expect(new Delegates(page).group('edge')).toContainText('Connected');
  expect((await audited(page, keys, account, 'delegate.allow'))[0]).toContain('edge may return');
});

/** Deletes a group on its own page. */
async function remove(page: Page, keys: Keyboard, group: string, name: string): Promise<void> {
  await keys.open(`${group}/delete`);
  await keys.type(page.getByLabel(CONFIRM), name);
  await page.keyboard.press('Enter');
}
