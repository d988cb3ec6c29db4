-- Each transaction that may have changed an object gives it another version.
ALTER TABLE object ADD COLUMN version bigint NOT NULL DEFAULT 1;
