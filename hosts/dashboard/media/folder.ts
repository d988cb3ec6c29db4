import { createContext } from 'preact';

/** The media folder of a field's files. */
export interface MediaFolder {
  readonly use: 'campaign' | 'campaign-add-on' | 'add-on' | 'default';
  readonly slug?: string;
  /** Whether a repository accepts uploads. */
  readonly writable: boolean;
}

/** The media folder of the form's files. */
export const MediaFolderContext = createContext<MediaFolder>({ use: 'default', writable: false });
