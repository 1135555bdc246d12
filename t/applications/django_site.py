# A site of Django: pages by their names, and uploaded files.
import os
from urllib.parse import quote

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.wsgi import get_wsgi_application
from django.http import Http404, HttpResponse
from django.urls import path

settings.configure(
    ALLOWED_HOSTS=['*'],
    ROOT_URLCONF=__name__,
    SECRET_KEY='secret',
    MIDDLEWARE=['django.middleware.common.CommonMiddleware'],
    MEDIA_ROOT=os.environ['IRI_APPLICATION'] + '/srv/django/media',
    MEDIA_URL='/media/',
)

PAGES = {
    '日本語ガイド': 'a guide in Japanese',
    '秘密ガイド': 'a secret guide',
    'café': 'a page about coffee',
    'A/Bガイド?': 'two reserved characters',
}


def page(request, name):
    if name not in PAGES:
        raise Http404(name)
    return HttpResponse(PAGES[name] + '\n' + request.get_full_path(),
                        content_type='text/plain; charset=utf-8')


urlpatterns = [path('page/<path:name>/', page)]
application = get_wsgi_application()
default_storage.save('図ガイド.txt', ContentFile('a file'))
