import { Delegates } from '../harness/pages.ts';
import { expect, test } from '../harness/test.ts';

/** Words of a status that ends on this date, today (`product 5.8`). */
function countdown(date: string): string {
  const days = Math.ceil((Date.parse(date) - Date.now()) / 86_400_000);
  if (days > 1) return `Expiring in ${days} days (${date})`;
  return `${days === 1 ? 'Expiring in 1 day' : 'Expiring today'} (${date})`;
}

test.describe('Columns of the list', () => {
  test.beforeEach(async ({ page, shown }) => {
    await new Delegates(page).open(shown.account.page('', 'size=25'));
  });

  test('stand in their order', async ({ page }) => {
    const heads = new Delegates(page).list.getByRole('columnheader');
    await expect(heads).toContainText([
      'Select',
      'Expand',
      'Delegate',
      'Connectivity',
      'Tags',
      'Version',
      'Instance status',
      'Last heartbeat',
      'Auto-upgrade',
      'Actions',
    ]);
    await expect(heads.getByRole('checkbox', { name: 'Select all on this page' })).toBeVisible();
  });

  test('Delegate: type, name, identifier, number of instances, generation', async ({ page }) => {
    const delegates = new Delegates(page);
    const kinds = {
      'core-helm': 'Helm',
      'core-old': 'Kubernetes',
      'core-near': 'ECS',
      'core-behind': 'Docker',
      'core-vm': 'Virtual machine',
      'core-custom': 'Shell script',
      Odd_Name: 'Kubernetes (community edition)',
      plain: 'SOMETHING_NEW',
    };
    for (const [name, kind] of Object.entries(kinds)) {
      await expect(delegates.group(name).getByRole('img', { name: kind, exact: true })).toBeVisible();
    }
    await expect(delegates.group('core-helm')).toContainText('_core_helm (2 instances)');
    await expect(delegates.group('plain')).toContainText('_plain (1 instance)');
    await expect(delegates.group('core-runner')).toContainText('3.x');
    await expect(delegates.group('core-vm')).not.toContainText('3.x');
  });

  test('Connectivity: all, some, none', async ({ page }) => {
    const delegates = new Delegates(page);
    await expect(delegates.group('core-helm')).toContainText('Connected');
    await expect(delegates.group('core-helm')).toContainText('2 of 2');
    await expect(delegates.group('core-near')).toContainText('Partially connected (2/3)');
    await expect(delegates.group('core-lost')).toContainText('Not connected');
    await expect(delegates.group('core-behind')).toContainText('Single instance');
  });

  test('Tags: all within reach', async ({ page }) => {
    const row = new Delegates(page).group('core-helm');
    await expect(row.getByText('eu', { exact: true }).first()).toBeVisible();
    const more = row.getByRole('button', { name: /^\+3 tags, show all 5 of core-helm/ });
    await more.click();
    const popover = page.getByText('Tags of core-helm').locator('..');
    await expect(popover.getByRole('listitem')).toHaveText(['eu', 'prod', 'linux', 'blue', /core-helm\s*implicit/]);
    await page.keyboard.press('Escape');
    await expect(popover).toBeHidden();
    await expect(more).toBeFocused();
  });

  test('Version: the lowest one, not reported, not applicable', async ({ page, versions }) => {
    const delegates = new Delegates(page);
    const cell = (name: string) => delegates.group(name).getByRole('cell').nth(4);
    await expect(cell('core-helm')).toHaveText(versions.latest);
    await expect(cell('mixed')).toHaveText(`${versions.expired} (+1 more)`);
    await expect(cell('core-vm')).toHaveText('not reported');
    await expect(cell('core-lost')).toHaveText('N/A');
    await expect(cell('core-custom')).toHaveText('our-own-build');
  });

  test('Instance status: word, countdown and date', async ({ page, versions }) => {
    const delegates = new Delegates(page);
    const cell = (name: string) => delegates.group(name).getByRole('cell').nth(5);
    await expect(cell('core-helm')).toContainText('Supported');
    await expect(cell('core-old')).toContainText(/Expired.*Expired (\d+ days?|\d+ months) ago \(\d{4}-\d\d-\d\d\)/);
    await expect(cell('core-near')).toContainText('Near expiry');
    await expect(cell('core-near')).toContainText(countdown(versions.nearDate));
    await expect(cell('core-behind')).toContainText('Unsupported');
    await expect(cell('core-behind')).toContainText(`behind ${versions.latest}`);
    await expect(cell('core-legacy')).toContainText('Upgrade required');
    await expect(cell('core-custom')).toContainText('Unknown');
    await expect(cell('core-lost')).toContainText('-');
    // The worst of the group.
    await expect(cell('mixed')).toContainText('Expired');
  });

  test('Instance status: a press tells the rule and both dates', async ({ page, versions }) => {
    const row = new Delegates(page).group('core-near');
    await row.getByRole('link', { name: /^Near expiry, .*\. Explain$/ }).click();
    const explanation = page.getByRole('dialog', { name: 'Status of core-near' });
    await expect(explanation).toContainText(versions.nearDate);
    await expect(explanation.getByRole('term')).toContainText(['Version', 'End of support', 'End of life', 'Latest']);
  });

  test('Last heartbeat: an age that counts, with the exact time', async ({ page }) => {
    const delegates = new Delegates(page);
    const time = (name: string) => delegates.group(name).getByRole('time');
    await expect(time('core-helm').last()).toHaveText(/^\d+ (s|min) ago$/);
    await expect(time('core-helm').last()).toHaveAttribute('datetime', /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    await expect(time('core-helm').last()).toHaveAttribute('title', /UTC$/);
    await expect(time('core-lost').last()).toHaveText(/^([1-9]\d min|\d+ h) ago$/);
  });

  test('Auto-upgrade: on, off, detecting, each with its reason', async ({ page }) => {
    const delegates = new Delegates(page);
    const states = {
      'core-helm': [/^On\b/, 'The upgrader called'],
      'core-near': [/^Off\b/, 'There is no upgrader on ECS and Fargate'],
      'core-vm': [/^Off\b/, 'The embedded client of virtual-machine runners has no upgrader'],
      'core-runner': [/^Off\b/, 'Delegate 3.x has no upgrader'],
      'core-legacy': [/^On\b/, 'The watcher of a legacy image'],
      'core-old': [/^Detecting\b/, 'no upgrader has called yet'],
    } as const;
    for (const [name, [word, reason]] of Object.entries(states)) {
      const link = delegates.group(name).getByRole('cell').nth(7).getByRole('link');
      await expect(link).toHaveAccessibleName(word);
      await link.click();
      const dialog = page.getByRole('dialog', { name: `Auto-upgrade of ${name}` });
      await expect(dialog).toContainText(reason);
      await page.keyboard.press('Escape');
      await expect(dialog).toHaveCount(0);
    }
  });

  test('Instances: host, id, connectivity, version, status, heartbeat, transport', async ({ page, versions }) => {
    const delegates = new Delegates(page);
    await delegates.group('core-near').getByRole('button', { name: 'Instances of core-near' }).click();
    const table = delegates.instances('core-near');
    await expect(table.getByRole('columnheader')).toHaveText([
      'Instance',
      'Connectivity',
      'Version',
      'Status',
      'Last heartbeat',
      'Transport',
      'Actions',
    ]);
    const pod = table.getByRole('row', { name: 'core-near-5f7d9c6b8-00000' });
    await expect(pod).toContainText('Connected');
    await expect(pod).toContainText(versions.near);
    await expect(pod).toContainText('Near expiry');
    const lost = table.getByRole('row', { name: 'core-near-5f7d9c6b8-00002' });
    await expect(lost).toContainText('Not connected');
    await expect(lost).toContainText('N/A');
    await expect(lost).not.toContainText('Near expiry');
  });
});
