-- Which kernels does code register for which operators?

-- A higher-order operator goes by the object of its class; torch._higher_order_ops hands on those of its modules.
CREATE TEMP TABLE objects AS
SELECT operator, kernel AS object FROM registrations WHERE kind = 'def' AND via = 'HigherOrderOperator'
UNION
SELECT operator, 'torch._higher_order_ops' || substr(kernel, length(rtrim(kernel, replace(kernel, '.', ''))))
FROM registrations WHERE kind = 'def' AND via = 'HigherOrderOperator';

UPDATE registrations SET operator = (SELECT min(o.operator) FROM objects AS o WHERE o.object = registrations.operator)
WHERE kind = 'impl' AND operator IN (SELECT object FROM objects);

DROP TABLE objects;

-- What another table of the dispatcher takes out of that of the decompositions (torch/_functorch/vmap.py,
-- lazy_load_decompositions: `VMAP_DECOMPOSITIONS_LIB.impl(decomp, decomposition_table[decomp])`). The last that goes
-- into it holds.
CREATE TEMP TABLE taken AS SELECT id, operator FROM registrations
WHERE kind = 'impl' AND origin = 'python' AND kernel GLOB 'torch._decomp.decomposition_table[[]*';

UPDATE registrations SET (kernel, kernel_form, kernel_file_id, kernel_line) = (
    SELECT t.kernel, coalesce(t.kernel_form, 'unknown'), t.kernel_file_id, t.kernel_line
    FROM (SELECT NULL) LEFT JOIN registrations AS t
      ON t.kind = 'impl' AND t.via = 'table:post_autograd'
     AND (t.operator = registrations.operator
          OR t.all_overloads AND registrations.operator GLOB t.operator || '.*')
    ORDER BY t.id DESC LIMIT 1)
WHERE id IN (SELECT id FROM taken);

DROP TABLE taken;

-- A packet stands for all overloads that the dispatcher has (torch/_decomp/__init__.py, _add_op_to_registry).
CREATE TEMP TABLE registered AS
SELECT r.id AS registration_id, o.id AS operator_id, r.dispatch_key, r.via
FROM registrations AS r
JOIN operators AS o ON o.name = r.operator
WHERE r.kind IN ('impl', 'def') AND r.dispatch_key IS NOT NULL AND NOT r.all_overloads
UNION ALL
SELECT r.id, o.id, r.dispatch_key, r.via
FROM registrations AS r
JOIN operators AS o ON o.namespace || '::' || o.base = r.operator
WHERE r.kind = 'impl' AND r.dispatch_key IS NOT NULL AND r.all_overloads;

CREATE INDEX temp.registered_operator ON registered (operator_id);

-- The kernels that hold for Meta: its own, and those of aliases (computeDispatchTableEntryWithDebug,
-- aten/src/ATen/core/dispatch/OperatorEntry.cpp).
CREATE TEMP TABLE meta_keys AS
SELECT column1 AS name
FROM (VALUES ('Meta'), ('CompositeExplicitAutogradNonFunctional'), ('CompositeExplicitAutograd'),
             ('CompositeImplicitAutograd'));

-- Decompositions become Meta kernels at import (torch/_meta_registrations.py, activate_meta): of several tables the
-- first of meta, post_autograd, pre_autograd that has the operator; not for operators that decompose by themselves,
-- not for views (torch/_ops.py, OpOverload.is_view), not for higher-order ones, and not for those that activate_meta
-- names. Where register_decomposition (torch/_decomp/__init__.py, before 2.0) asks for a kernel first, not for operators
-- that have one for Meta without it.
CREATE TEMP TABLE activated AS
SELECT operator_id, registration_id
FROM (
    SELECT
        g.operator_id,
        g.registration_id,
        row_number() OVER (
            PARTITION BY g.operator_id
            ORDER BY instr('table:meta table:post_autograd table:pre_autograd', g.via), g.registration_id
        ) AS position
    FROM registered AS g
    WHERE g.via LIKE 'table:%'
) AS first
WHERE position = 1
  AND NOT EXISTS (SELECT 1 FROM dispatch AS d
                  WHERE d.operator_id = first.operator_id
                    AND d.dispatch_key = 'CompositeImplicitAutograd')
  AND NOT EXISTS (SELECT 1 FROM registered AS c
                  WHERE c.operator_id = first.operator_id
                    AND c.dispatch_key = 'CompositeImplicitAutograd' AND c.via NOT IN ('py_impl'))
  AND EXISTS (SELECT 1 FROM dispatch AS d WHERE d.operator_id = first.operator_id
              UNION ALL
              SELECT 1 FROM registered AS c
              WHERE c.operator_id = first.operator_id AND c.via NOT LIKE 'table:%')
  AND NOT (EXISTS (SELECT 1 FROM arguments AS a
                   WHERE a.operator_id = first.operator_id AND a.alias_annotation IS NOT NULL)
           AND NOT EXISTS (SELECT 1 FROM arguments AS a
                           WHERE a.operator_id = first.operator_id AND a.is_write))
  AND NOT EXISTS (SELECT 1 FROM operators AS o WHERE o.id = first.operator_id AND o.namespace = 'higher_order')
  AND NOT EXISTS (SELECT 1 FROM pending_names AS n
                  JOIN operators AS o ON o.name = n.name
                      OR n.value = 'packet' AND o.namespace || '::' || o.base = n.name
                  WHERE n.kind = 'meta' AND o.id = first.operator_id)
  AND NOT (EXISTS (SELECT 1 FROM pending_names AS n WHERE n.kind = 'guard')
           AND EXISTS (SELECT 1 FROM dispatch AS d
                       WHERE d.operator_id = first.operator_id AND d.dispatch_key IN (SELECT name FROM meta_keys)
                       UNION ALL
                       SELECT 1 FROM registered AS c JOIN registrations AS r ON r.id = c.registration_id
                       WHERE c.operator_id = first.operator_id AND c.dispatch_key IN (SELECT name FROM meta_keys)
                         AND c.via NOT LIKE 'table:%' AND c.via <> 'py_impl' AND r.condition IS NULL));

DROP TABLE meta_keys;

DELETE FROM registered
WHERE via LIKE 'table:%'
  AND (operator_id, registration_id) NOT IN (SELECT operator_id, registration_id FROM activated);

-- What puts one function into the dispatcher and into the table of py_impl (torch/_meta_registrations.py,
-- register_meta of 1.13) is one kernel for the key.
DELETE FROM registered
WHERE via = 'py_impl' AND EXISTS (
    SELECT 1
    FROM registrations AS p
    JOIN registered AS g ON g.operator_id = registered.operator_id AND g.dispatch_key = registered.dispatch_key
        AND g.via <> 'py_impl'
    JOIN registrations AS r ON r.id = g.registration_id
    WHERE p.id = registered.registration_id AND r.kernel = p.kernel AND r.file_id = p.file_id AND r.line = p.line
      AND r.condition IS p.condition);

-- The library they go through is the one of their namespace, else that of aten.
UPDATE registrations SET block_file_id = l.file_id, block_line = l.line
FROM (
    SELECT r.id, f.id AS file_id, n.line, row_number() OVER (
        PARTITION BY r.id ORDER BY n.name = 'aten', n.line) AS position
    FROM registrations AS r
    JOIN activated AS a ON a.registration_id = r.id
    JOIN pending_names AS n ON n.kind = 'library'
        AND n.name IN ('aten', substr(r.operator, 1, instr(r.operator, '::') - 1))
    JOIN source_files AS f ON f.path = n.value
) AS l
WHERE l.id = registrations.id AND l.position = 1;

CREATE TEMP TABLE dispatch_offset AS SELECT coalesce(max(id), 0) AS offset FROM dispatch;

CREATE TEMP TABLE numbered AS
SELECT row_number() OVER (ORDER BY registration_id, operator_id) AS number, registration_id, operator_id
FROM registered;

INSERT INTO dispatch (id, operator_id, dispatch_key, kernel, origin, file_id, line)
SELECT n.number + s.offset, n.operator_id, r.dispatch_key, r.kernel, r.origin, r.file_id, r.line
FROM numbered AS n
JOIN dispatch_offset AS s
JOIN registrations AS r ON r.id = n.registration_id
ORDER BY n.number;

INSERT INTO dispatch_registrations (dispatch_id, registration_id)
SELECT n.number + s.offset, n.registration_id FROM numbered AS n JOIN dispatch_offset AS s ORDER BY n.number;

-- Python comes last, and the last kernel for a key is the one that counts. py_impl has a table of its own.
INSERT INTO dispatch_replacements (dispatch_id, by_dispatch_id)
SELECT d.id, max(p.id)
FROM dispatch AS p
JOIN dispatch_registrations AS l ON l.dispatch_id = p.id
JOIN registrations AS r ON r.id = l.registration_id AND r.via <> 'py_impl' AND r.condition IS NULL
JOIN dispatch AS d
    ON d.operator_id = p.operator_id AND d.dispatch_key = p.dispatch_key AND d.origin <> 'python'
WHERE p.origin = 'python'
GROUP BY d.id
ORDER BY d.id;

-- Kernels for operators that nothing in the tree defines. Registrations of tests in C++ are not read: what those define
-- (_TorchScriptTesting::takes_foo) may have its kernels in Python.
INSERT INTO coverage (layer, file, status, detail)
SELECT 'registrations', f.path, 'partial', 'line ' || r.line || ': ' || r.dispatch_key || ' kernel for ' || r.operator
    || ', which nothing defines outside of tests in C++'
FROM registrations AS r
JOIN source_files AS f ON f.id = r.file_id
WHERE r.kind = 'impl'
  AND r.operator LIKE '%::%'  -- else a higher-order operator, by its variable
  AND NOT EXISTS (SELECT 1 FROM operators AS o WHERE o.name = r.operator)
  AND NOT (r.all_overloads AND EXISTS (
      SELECT 1 FROM operators AS o WHERE o.namespace || '::' || o.base = r.operator))
ORDER BY r.id;

DROP TABLE registered;
DROP TABLE activated;
DROP TABLE numbered;
DROP TABLE dispatch_offset;
