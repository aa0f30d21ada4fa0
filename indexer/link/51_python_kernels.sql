-- Where is the `def` of a kernel that one Python file takes from another to register it?
UPDATE registrations
SET (kernel_file_id, kernel_line) = (
    SELECT m.file_id, p.line
    FROM python_functions AS p
    JOIN python_modules AS m ON m.id = p.module_id
    WHERE p.name = last_component(registrations.kernel)
      AND m.name || '.' || p.name = registrations.kernel
    -- A signature for type checkers is no definition.
    ORDER BY p.kind = 'overload', p.guarded, p.line DESC LIMIT 1)
WHERE origin = 'python' AND kernel_line IS NULL AND kernel IS NOT NULL;

INSERT INTO coverage (layer, file, status, detail)
SELECT 'kernels', f.path, 'partial', 'line ' || d.line || ': ' || o.name || ' ' || d.dispatch_key || ': ' || CASE
    WHEN d.kernel IS NULL THEN 'what Python registers is made at run time'
    ELSE d.kernel || ': no definition in the tree' END
FROM dispatch AS d
JOIN operators AS o ON o.id = d.operator_id
JOIN source_files AS f ON f.id = d.file_id
LEFT JOIN dispatch_registrations AS l ON l.dispatch_id = d.id
LEFT JOIN registrations AS r ON r.id = l.registration_id
WHERE d.origin = 'python' AND r.kernel_line IS NULL
  -- What leads on to the next key has no kernel; PyTorch 1.13 has no name for it, either.
  AND r.kernel_form IS NOT 'fallthrough'
ORDER BY d.id;
