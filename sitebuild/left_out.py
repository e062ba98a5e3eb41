"""What the page's Python does without: files of the standard library and of the packages, as patterns, by why they are not needed.

A module that is left out cannot be imported in the page. A test reads from the sources of all that stays, functions included, who would
want to, and names the few places, each with its reason.
"""

from collections.abc import Mapping

STANDARD_LIBRARY = {
    "other machines and processes": """
        cgi.py cgitb.py concurrent/futures/process.py ftplib.py http/* imaplib.py logging/config.py logging/handlers.py mailbox.py
        mailcap.py mimetypes.py multiprocessing/* netrc.py nntplib.py poplib.py pty.py smtplib.py socketserver.py telnetlib.py
        urllib/error.py urllib/request.py urllib/response.py urllib/robotparser.py wsgiref/* xmlrpc/*""",
    "tests, debuggers and tools of developers": """
        _sysconfigdata_* asyncio/__main__.py bdb.py cProfile.py cmd.py code.py codeop.py compileall.py doctest.py filecmp.py
        fileinput.py modulefinder.py optparse.py pdb.py pickletools.py profile.py pstats.py py_compile.py pyclbr.py pydoc.py
        pyodide/console.py rlcompleter.py runpy.py symtable.py tabnanny.py timeit.py trace.py unittest/* zipapp.py""",
    "file formats that nothing here reads or writes": """
        aifc.py chunk.py configparser.py html/* plistlib.py shelve.py sndhdr.py sunau.py tomllib/* uu.py wave.py xdrlib.py xml/*
        zoneinfo/*""",
    "Python versions of what C does": "_py_abc.py _pydatetime.py _pyio.py",
    "tables of old encodings": """
        encodings/*_codec.py encodings/big5* encodings/cp* encodings/euc_* encodings/gb* encodings/hp_* encodings/hz*
        encodings/iso* encodings/johab* encodings/koi* encodings/kz* encodings/mac_* encodings/palmos* encodings/ptcp*
        encodings/shift_* encodings/tis_*""",
}
KEPT = [
    "encodings/cp437.py",
    "encodings/cp1252.py",
    "encodings/iso8859_1.py",
    "encodings/iso8859_15.py",
]  # names in zip files; Windows; XMP

PACKAGES = {
    "what only pip, compilers and editors read": "*.dist-info/* *.a *.c *.f *.f90 *.h *.in *.ini *.pxd *.pyi *.pyx *.src *.typed",
    "tests": """
        */tests/* */conftest.py numpy/testing/* numpy/_core/*_tests.cpython-* numpy/_core/_simd.cpython-* numpy/ma/testutils.py
        numpy/ma/timer_comparison.py numpy/random/_examples/*""",
    "building and typing": "numpy/_configtool.py numpy/_pyinstaller/* numpy/distutils/* numpy/f2py/* numpy/typing/mypy_plugin.py",
    "a second LAPACK, which numpy does not import": "numpy/linalg/lapack_lite.cpython-*",
    "fonts, screens and printers": """
        PIL/BdfFontFile.py PIL/FontFile.py PIL/ImageCms.py PIL/ImageDraw.py PIL/ImageDraw2.py PIL/ImageFont.py PIL/ImageGrab.py
        PIL/ImageQt.py PIL/ImageShow.py PIL/ImageTk.py PIL/ImageWin.py PIL/PSDraw.py PIL/PcfFontFile.py PIL/PdfImagePlugin.py
        PIL/PdfParser.py PIL/__main__.py PIL/_imagingcms.cpython-* PIL/_imagingft.cpython-*""",
    "reading of pictures that are refused before": """
        PIL/BlpImagePlugin.py PIL/DdsImagePlugin.py PIL/EpsImagePlugin.py PIL/FitsImagePlugin.py PIL/FpxImagePlugin.py
        PIL/FtexImagePlugin.py PIL/IcnsImagePlugin.py PIL/ImImagePlugin.py PIL/MicImagePlugin.py PIL/PsdImagePlugin.py
        PIL/SpiderImagePlugin.py PIL/WmfImagePlugin.py""",
}

# numpy's help texts of what is written in C, which every import of numpy runs: emptied instead, because numpy imports them by name.
EMPTIED = ["numpy/_core/_add_newdocs.py", "numpy/_core/_add_newdocs_scalars.py"]


def patterns(reasons: Mapping[str, str]) -> list[str]:
    """All patterns of such a table, as fnmatch reads them: * stands for slashes too."""
    return [pattern for group in reasons.values() for pattern in group.split()]
