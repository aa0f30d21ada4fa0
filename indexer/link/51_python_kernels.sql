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
