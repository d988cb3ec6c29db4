-- A file as the release with schema version 1 made it.
PRAGMA application_id = 1349280887;
PRAGMA user_version = 1;
CREATE TABLE store (
	ns      TEXT NOT NULL,
	key     TEXT NOT NULL,
	value   BLOB NOT NULL,
	expires INTEGER,
	PRIMARY KEY (ns, key)
);
CREATE INDEX store_expires ON store (expires) WHERE expires IS NOT NULL;
CREATE TABLE state (
	class TEXT NOT NULL,
	name  TEXT NOT NULL,
	key   TEXT NOT NULL,
	value BLOB NOT NULL,
	PRIMARY KEY (class, name, key)
);
INSERT INTO store VALUES ('', 'k/lasting', 'v', NULL), ('', 'k/over', 'v', 1);
INSERT INTO state VALUES ('tally', 'board', 'n', '7');
