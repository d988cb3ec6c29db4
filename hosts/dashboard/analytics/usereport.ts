import { useEffect, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { query, type Resource, useResource } from '../resources.ts';
import { mergeReports } from './merge.ts';

export type Report = Schema['Analytics'];

/**
 * Reads a campaign's report on a period page by page; without days, on the whole campaign. The value
 * is the sum of the pages read so far. The component is keyed by the campaign and the period.
 */
export function useReport(slug: string, from: string, to: string): Resource<Report> {
  const [parts, setParts] = useState<ReadonlyMap<number, Report>>(new Map());
  const [cursor, setCursor] = useState(0);
  const resource = useResource<Report>(
    query(`/admin/analytics/${slug}`, { limit: 5000, cursor: cursor || undefined, from, to }),
  );
  useEffect(() => {
    if (!resource.value) return;
    setParts(new Map(parts).set(cursor, resource.value));
    if (resource.value.next) setCursor(resource.value.next);
  }, [resource.value]);
  const value = mergeReports([...parts.values()]) ?? resource.value;
  return { ...resource, ...(value ? { value } : {}) };
}
