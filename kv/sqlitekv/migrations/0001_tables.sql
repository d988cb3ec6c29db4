-- An expiry is in microseconds since 1970; NULL is never. The tables keep their row IDs:
-- without them a value shares the cell of its key, and one that spills over is read whole
-- each time a search passes it.
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
