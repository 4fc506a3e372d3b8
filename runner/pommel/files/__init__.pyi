from .csv import CsvRow as CsvRow, CsvTable as CsvTable
from .json import (
    JsonDocument as JsonDocument,
    JsonPath as JsonPath,
    WrittenFloat as WrittenFloat,
    json_chunks as json_chunks,
    parse_json as parse_json,
    to_json as to_json,
)
from .shipped import json_schema as json_schema, shipped_folder as shipped_folder
from .spreadsheets import TableReading as TableReading
from .tables import (
    frame_of as frame_of,
    frame_of_rows as frame_of_rows,
    frame_text as frame_text,
    stacked as stacked,
)
from .text import (
    GZIP_FAULTS as GZIP_FAULTS,
    DecodedText as DecodedText,
    check_file_names as check_file_names,
    expanded as expanded,
    is_encodable as is_encodable,
    locked_for_others as locked_for_others,
    make_folder as make_folder,
    opened as opened,
    own_path as own_path,
    replacing as replacing,
    sha256_of as sha256_of,
    without_empty_folders as without_empty_folders,
    word_core as word_core,
    write_text as write_text,
)
from .waiting import Waiting as Waiting
